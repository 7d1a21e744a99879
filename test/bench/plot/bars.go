package plot

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Bars compares some things by one number each.
type Bars struct {
	Title  string
	Bars   []Bar
	Format func(float64) string // writes a number with its unit
}

// Bar is one of them. Low and High are where its number really lies; they are equal when
// that is not known.
type Bar struct {
	Label            string
	Value, Low, High float64
	Ours             bool // shown in another colour
}

// How the bars are laid out, in pixels.
const (
	barsWidth  = 760.
	barsTop    = 44.
	barRow     = 28.
	barHeight  = 18.
	charWidth  = 7.2 // of the largest of ordinary letters, on average
	valueWidth = 90. // room for a number behind its bar
	margin     = 16.
)

// SVG draws them, in their order.
func (b Bars) SVG() []byte {
	var c canvas
	c.text(margin, 26, "title", "start", b.Title)
	left := margin + b.labelWidth()
	scale := (barsWidth - margin - valueWidth - left) / max(b.largest(), 1e-9)
	for i, bar := range b.Bars {
		top := barsTop + float64(i)*barRow
		middle := top + barHeight/2
		class := "other"
		if bar.Ours {
			class = "ours"
		}
		c.text(left-8, middle+4.5, "label", "end", bar.Label)
		c.box(left, top, max(1, bar.Value*scale), barHeight, class)
		if bar.Low < bar.High {
			c.line(left+bar.Low*scale, middle, left+bar.High*scale, middle, "whisker")
		}
		c.text(left+max(bar.Value, bar.High)*scale+8, middle+4.5, "value", "start", b.Format(bar.Value))
	}
	return c.picture(barsWidth, barsTop+float64(len(b.Bars))*barRow+8, b.Title, b.Words())
}

// Words say what the bars show.
func (b Bars) Words() string {
	told := make([]string, len(b.Bars))
	for i, bar := range b.Bars {
		told[i] = fmt.Sprintf("%s: %s", bar.Label, b.Format(bar.Value))
	}
	return strings.Join(told, "; ") + "."
}

func (b Bars) labelWidth() (width float64) {
	for _, bar := range b.Bars {
		width = max(width, charWidth*float64(utf8.RuneCountInString(bar.Label))+8)
	}
	return width
}

func (b Bars) largest() (value float64) {
	for _, bar := range b.Bars {
		value = max(value, bar.Value, bar.High)
	}
	return value
}
