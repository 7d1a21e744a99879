package dashboard_test

import (
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/server"
)

// TestScreenshots makes the pictures of docs/dashboard.md: make screenshots.
func TestScreenshots(t *testing.T) {
	t.Parallel()
	dir := os.Getenv("HOLDGATE_SCREENSHOTS")
	if dir == "" {
		t.Skip("HOLDGATE_SCREENSHOTS says where to")
	}
	b := startBrowser(t)
	f := newFleet(t, server.Options{})
	p := b.open(t, f.home, "#/lines", desk)
	p.sees("#link", "live")
	f.everything()
	f.play("deploy/production", 18)
	for _, shot := range []struct {
		name, view, with string
		look             look
		full             bool
	}{
		{"lines-light", "#/lines", ".tag.stuck", look{width: 1180, height: 660}, false},
		{"line-light", "#/line?name=deploy%2Fproduction", "svg.drawing", look{width: 1180, height: 620}, true},
		{"waits-dark", "#/waits", "figure svg.drawing", look{width: 1000, height: 690, dark: true}, false},
		{"line-phone", "#/line?name=orders%2F1042", ".attention.stuck", look{width: 360, height: 690, phone: true}, false},
	} {
		p := b.open(t, f.home, shot.view, shot.look)
		p.settled(shot.view)
		p.until("document.querySelector(" + quote("main "+shot.with) + ")?.checkVisibility()")
		path := filepath.Join(dir, shot.name+".png")
		p.do("screenshot", map[string]any{"path": path, "full": shot.full}, nil)
		if err := shrink(path); err != nil {
			t.Fatal(err)
		}
	}
}

// play hands a lock over for a while, so that there is something to be drawn.
func (f *fleet) play(line string, grants int) {
	const pace = 400 * time.Millisecond
	type turn struct {
		by driver.Session
		at driver.Place
	}
	var queue []turn
	for i := range 4 {
		s := f.session(fmt.Sprintf("deploy@ci-%d:%d", i, 11+i))
		queue = append(queue, turn{s, f.lock(s, line, note{Reason: "roll out"})})
	}
	for i := range grants {
		time.Sleep(time.Duration(1+i*i%4) * pace)
		first := queue[0]
		f.leave(first.by, first.at)
		queue = append(queue[1:], turn{first.by, f.lock(first.by, line, note{Reason: "roll out"})})
		if i%5 == 3 { // somebody gives up waiting, and comes back
			last := &queue[len(queue)-1]
			f.leave(last.by, last.at)
			time.Sleep(3 * pace)
			last.at = f.lock(last.by, line, note{Reason: "roll out"})
		}
	}
}

// shrink writes a picture anew with a palette of 256 colours: a third of the bytes.
func shrink(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	full, err := png.Decode(file)
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	bounds := full.Bounds()
	often := make(map[color.Color]int)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			often[full.At(x, y)]++
		}
	}
	small := image.NewPaletted(bounds, distinct(often))
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			small.Set(x, y, full.At(x, y))
		}
	}
	out, err := os.Create(path)
	if err != nil {
		return err
	}
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(out, small)
	return errors.Join(err, out.Close())
}

// distinct returns up to 256 of the most frequent colours that can be told apart: a small green
// dot is of more use than another shade at the edge of a letter.
func distinct(often map[color.Color]int) color.Palette {
	const apart = 6 * 257 // in each of red, green and blue, of 65,535
	var palette color.Palette
	for _, c := range slices.SortedFunc(maps.Keys(often), func(a, b color.Color) int { return often[b] - often[a] }) {
		near := func(other color.Color) bool {
			r, g, b, _ := c.RGBA()
			or, og, ob, _ := other.RGBA()
			return absDiff(r, or) < apart && absDiff(g, og) < apart && absDiff(b, ob) < apart
		}
		if len(palette) < 256 && !slices.ContainsFunc(palette, near) {
			palette = append(palette, c)
		}
	}
	return palette
}

func absDiff(a, b uint32) uint32 { return max(a, b) - min(a, b) }
