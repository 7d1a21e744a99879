package plot

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"testing"
)

func perSecond(v float64) string { return fmt.Sprintf("%.3g/s", v) }

func bars() Bars {
	return Bars{Title: "a < b & c", Format: perSecond, Bars: []Bar{
		{Label: "ours", Value: 441, Low: 400, High: 500, Ours: true},
		{Label: "theirs", Value: 157, Low: 157, High: 157},
	}}
}

func lines() Lines {
	return Lines{Title: "growth", X: "holds", Format: perSecond, Lines: []Line{
		{Label: "flat", Points: []Point{{1, 20}, {100, 20}, {10_000, 20}}},
		{Label: "steep", Points: []Point{{1, 3}, {100, 300}, {10_000, 30_000}}},
	}}
}

func TestPicturesAreXMLAndSayWhatTheyShow(t *testing.T) {
	t.Parallel()
	for name, picture := range map[string]struct {
		svg  []byte
		says []string
	}{
		"bars":  {bars().SVG(), []string{"a < b & c", "ours: 441/s; theirs: 157/s."}},
		"lines": {lines().SVG(), []string{"growth", "By holds. flat: 20/s at 1, 20/s at 100, 20/s at 10,000; steep: 3/s at 1, 300/s at 100, 3e+04/s at 10,000."}},
	} {
		got := texts(t, picture.svg)
		for _, want := range picture.says {
			if !strings.Contains(got, want) {
				t.Errorf("%s: got the texts %q, want %q among them", name, got, want)
			}
		}
		for _, want := range []string{"prefers-color-scheme: dark", `role="img"`, "aria-labelledby"} {
			if !strings.Contains(string(picture.svg), want) {
				t.Errorf("%s: want %q in it", name, want)
			}
		}
	}
}

// texts are what is written in an SVG, which must be whole XML.
func texts(t *testing.T, svg []byte) string {
	t.Helper()
	var all strings.Builder
	for tokens := xml.NewDecoder(strings.NewReader(string(svg))); ; {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			return all.String()
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, svg)
		}
		if data, ok := token.(xml.CharData); ok {
			all.Write(data)
		}
	}
}

func TestBarsAreAsLongAsTheirNumbers(t *testing.T) {
	t.Parallel()
	var widths []float64
	for line := range strings.Lines(string(bars().SVG())) {
		var x, y, width float64
		if n, _ := fmt.Sscanf(line, `<rect x="%f" y="%f" width="%f"`, &x, &y, &width); n == 3 {
			widths = append(widths, width)
		}
	}
	if len(widths) != 2 || math.Abs(widths[0]/widths[1]-441./157) > 0.01 {
		t.Errorf("got bars of %v, want two, in the ratio of 441 to 157", widths)
	}
}

func TestAxis(t *testing.T) {
	t.Parallel()
	a := axis{from: 0, to: 100, low: 3, high: 300}
	a.round()
	if a.low != 1 || a.high != 1000 {
		t.Fatalf("got %v to %v, want 1 to 1000", a.low, a.high)
	}
	for value, want := range map[float64]float64{1: 0, 10: 100. / 3, 1000: 100} {
		if got := a.at(value); math.Abs(got-want) > 1e-9 {
			t.Errorf("at(%v): got %v, want %v", value, got, want)
		}
	}
	if got := a.ticks(); fmt.Sprint(got) != "[1 10 100 1000]" {
		t.Errorf("ticks: got %v, want the powers of ten", got)
	}
}
