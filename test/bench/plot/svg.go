package plot

import (
	"encoding/xml"
	"fmt"
	"strings"
)

// style has the colours for light pages and for dark ones. Those of the series can be told
// apart by people who confuse some (Okabe and Ito, Color Universal Design, 2008).
const style = `
text { font: 13px system-ui, -apple-system, "Segoe UI", sans-serif; fill: #1f2328 }
.title { font-weight: 600; font-size: 15px }
.small { font-size: 12px; fill: #59636e }
.ground { fill: #ffffff }
.grid { stroke: #d1d9e0; stroke-width: 1 }
.whisker { stroke: #1f2328; stroke-width: 1.5 }
.other { fill: #8c959f }
.ours { fill: #0072b2 }
.curve { fill: none; stroke-width: 2 }
.s0 { stroke: #0072b2; color: #0072b2 } .s1 { stroke: #d55e00; color: #d55e00 }
.s2 { stroke: #007d5a; color: #007d5a } .s3 { stroke: #aa4499; color: #aa4499 }
.dot { fill: currentColor }
@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 }
.small { fill: #9198a1 }
.ground { fill: #0d1117 }
.grid { stroke: #3d444d }
.whisker { stroke: #e6edf3 }
.other { fill: #6e7681 }
.ours { fill: #56b4e9 }
.s0 { stroke: #56b4e9; color: #56b4e9 } .s1 { stroke: #e69f00; color: #e69f00 }
.s2 { stroke: #2fc993; color: #2fc993 } .s3 { stroke: #e28ac4; color: #e28ac4 }
}
`

// series is how many of them have a colour.
const series = 4

// canvas takes what is drawn, from the back to the front.
type canvas struct{ drawn strings.Builder }

// text writes at a point, which is its start, middle or end.
func (c *canvas) text(x, y float64, class, anchor, words string) {
	fmt.Fprintf(&c.drawn, "<text x=\"%.1f\" y=\"%.1f\" class=%q text-anchor=%q>%s</text>\n", x, y, class, anchor, escape(words))
}

func (c *canvas) line(x1, y1, x2, y2 float64, class string) {
	fmt.Fprintf(&c.drawn, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=%q/>\n", x1, y1, x2, y2, class)
}

func (c *canvas) box(x, y, width, height float64, class string) {
	fmt.Fprintf(&c.drawn, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" class=%q/>\n", x, y, width, height, class)
}

func (c *canvas) dot(x, y float64, class string) {
	fmt.Fprintf(&c.drawn, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"3.5\" class=%q/>\n", x, y, class)
}

// picture is a whole SVG. The words are read to whoever does not see it.
func (c *canvas) picture(width, height float64, title, words string) []byte {
	var svg strings.Builder
	fmt.Fprintf(&svg, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\" "+
		"role=\"img\" aria-labelledby=\"title words\">\n", width, height, width, height)
	fmt.Fprintf(&svg, "<title id=\"title\">%s</title>\n<desc id=\"words\">%s</desc>\n", escape(title), escape(words))
	fmt.Fprintf(&svg, "<style>%s</style>\n", style)
	fmt.Fprintf(&svg, "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" class=\"ground\"/>\n")
	svg.WriteString(c.drawn.String())
	svg.WriteString("</svg>\n")
	return []byte(svg.String())
}

func escape(words string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(words)) // a Builder takes everything
	return b.String()
}
