package plot

import (
	"fmt"
	"math"
	"strings"
)

// Lines shows how numbers grow, on logarithmic axes: what grows in proportion is a straight
// line that rises by one decade in each, and what does not grow is flat.
type Lines struct {
	Title, X string
	Lines    []Line
	Format   func(float64) string // writes a number with its unit
}

// Line is one of at most four.
type Line struct {
	Label  string
	Points []Point
}

// Point is a number Y at X, both larger than 0.
type Point struct{ X, Y float64 }

// How the lines are laid out, in pixels.
const (
	linesWidth, linesHeight           = 760., 360.
	plotLeft, plotRight               = 90., 736.
	plotTop, plotBottom               = 72., 308.
	legendY, legendSwatch, legendWide = 52., 22., 150.
)

// SVG draws them.
func (l Lines) SVG() []byte {
	var c canvas
	c.text(margin, 26, "title", "start", l.Title)
	x, y := l.axes()
	for _, tick := range x.ticks() {
		at := x.at(tick)
		c.line(at, plotTop, at, plotBottom, "grid")
		c.text(at, plotBottom+18, "small", "middle", count(tick))
	}
	for _, tick := range y.ticks() {
		at := y.at(tick)
		c.line(plotLeft, at, plotRight, at, "grid")
		c.text(plotLeft-8, at+4.5, "small", "end", l.Format(tick))
	}
	c.text((plotLeft+plotRight)/2, plotBottom+40, "small", "middle", l.X)
	legend := margin
	for i, line := range l.Lines {
		class := fmt.Sprintf("s%d", i%series)
		c.line(legend, legendY, legend+legendSwatch, legendY, "curve "+class)
		c.dot(legend+legendSwatch/2, legendY, "dot "+class)
		c.text(legend+legendSwatch+6, legendY+4.5, "label", "start", line.Label)
		legend += max(legendWide, legendSwatch+22+charWidth*float64(len(line.Label)))
		line.draw(&c, x, y, class)
	}
	return c.picture(linesWidth, linesHeight, l.Title, l.Words())
}

func (l Line) draw(c *canvas, x, y axis, class string) {
	for i, p := range l.Points {
		if i > 0 {
			before := l.Points[i-1]
			c.line(x.at(before.X), y.at(before.Y), x.at(p.X), y.at(p.Y), "curve "+class)
		}
		c.dot(x.at(p.X), y.at(p.Y), "dot "+class)
	}
}

// Words say what the lines show.
func (l Lines) Words() string {
	var told []string
	for _, line := range l.Lines {
		var points []string
		for _, p := range line.Points {
			points = append(points, fmt.Sprintf("%s at %s", l.Format(p.Y), count(p.X)))
		}
		told = append(told, line.Label+": "+strings.Join(points, ", "))
	}
	return fmt.Sprintf("By %s. %s.", l.X, strings.Join(told, "; "))
}

// axes are those that all points fit on.
func (l Lines) axes() (x, y axis) {
	x = axis{from: plotLeft, to: plotRight, low: math.Inf(1), high: math.Inf(-1)}
	y = axis{from: plotBottom, to: plotTop, low: math.Inf(1), high: math.Inf(-1)}
	for _, line := range l.Lines {
		for _, p := range line.Points {
			x.include(p.X)
			y.include(p.Y)
		}
	}
	y.round()
	return x, y
}

// axis is a logarithmic one.
type axis struct {
	from, to  float64 // where low and high are drawn
	low, high float64
}

func (a *axis) include(v float64) { a.low, a.high = min(a.low, v), max(a.high, v) }

// round makes the axis whole decades long.
func (a *axis) round() {
	a.low = math.Pow(10, math.Floor(math.Log10(a.low)))
	a.high = max(10*a.low, math.Pow(10, math.Ceil(math.Log10(a.high))))
}

func (a axis) at(v float64) float64 {
	if a.high <= a.low {
		return a.from
	}
	return a.from + (a.to-a.from)*math.Log(v/a.low)/math.Log(a.high/a.low)
}

// ticks are the powers of ten on the axis.
func (a axis) ticks() (ticks []float64) {
	for power := math.Ceil(math.Log10(a.low) - 1e-9); power <= math.Log10(a.high)+1e-9; power++ {
		ticks = append(ticks, math.Pow(10, power))
	}
	return ticks
}

// count writes a whole number as people do.
func count(v float64) string {
	digits := fmt.Sprintf("%.0f", v)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}
