//go:build unix

package filedriver

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// neighbour is a process beside the one that is ended: the test itself.
type neighbour struct {
	testing.TB
	dir   string
	d     *Driver
	s     driver.Session
	waits map[string]chan outcome
	// newest is the greatest order that was seen anywhere.
	newest uint64
}

type outcome struct {
	place driver.Place
	err   error
}

func newNeighbour(tb testing.TB) *neighbour {
	tb.Helper()
	n := &neighbour{TB: tb, dir: filepath.Join(tb.TempDir(), "locks"), waits: map[string]chan outcome{}}
	n.d = openDriver(tb, n.dir)
	n.s = n.session()
	return n
}

func openDriver(tb testing.TB, dir string) *Driver {
	tb.Helper()
	d, err := Open(dir, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	return d
}

func (n *neighbour) session() driver.Session {
	n.Helper()
	s, err := n.d.Open(n.Context(), driver.SessionOptions{Owner: "neighbour"})
	if err != nil {
		n.Fatal(err)
	}
	return s
}

// queue enters, waits in the background, and returns the ID once it sleeps or holds.
func (n *neighbour) queue(c driver.Claim) (id string) {
	n.Helper()
	p, err := n.s.Enter(n.Context(), c)
	if err != nil {
		n.Fatal(err)
	}
	done := make(chan outcome, 1)
	n.waits[c.ID] = done
	// Ends when granted or gone, or with the driver.
	go func() {
		p, err := n.s.Wait(context.Background(), p)
		done <- outcome{p, err}
	}()
	for len(done) == 0 && !n.sleeps(c) {
		time.Sleep(time.Millisecond) // nobody tells
	}
	return c.ID
}

func (n *neighbour) sleeps(c driver.Claim) bool {
	v, err := n.d.line(c.Line).scan()
	if err != nil {
		n.Fatal(err)
	}
	i := v.find(c.ID)
	return i >= 0 && v.notes[i].waiting
}

// corpse leaves a place of a process that was killed.
func (n *neighbour) corpse(c driver.Claim) {
	n.Helper()
	n.startHolder(c).kill()
}

// startHolder starts a process that holds.
func (n *neighbour) startHolder(c driver.Claim) *child {
	n.Helper()
	child := startChild(n, "hold", n.dir, c.Line, string(c.Kind), strconv.FormatInt(c.Capacity, 10), strconv.FormatInt(c.Units, 10))
	child.expect("holds")
	return child
}

// drain has everybody who waits get the line in turn, and checks that nobody has it
// before.
func (n *neighbour) drain() {
	n.Helper()
	n.noteOrders()
	for deadline := time.Now().Add(patience); len(n.waits) > 0; {
		if time.Now().After(deadline) {
			n.Fatalf("%d are stuck; the line is %+v", len(n.waits), n.line("orders"))
		}
		l := n.line("orders")
		n.settleGone(l)
		if len(l.Places) == 0 {
			continue
		}
		head := l.Places[0]
		wait := n.waits[head.ID]
		if wait == nil {
			n.Fatalf("the line is headed by %+v, which is nobody's", head)
		}
		got := n.outcome(wait)
		if got.err != nil || !got.place.Granted {
			n.Fatalf("the head's wait: %+v, %v", got.place, got.err)
		}
		for id, other := range n.waits {
			if id != head.ID && len(other) > 0 && l.Find(id) >= 0 {
				n.Fatalf("two are granted: %+v", n.line("orders"))
			}
		}
		n.leave(got.place)
		delete(n.waits, head.ID)
	}
}

// settleGone awaits the waits of places that are not in the line any more.
func (n *neighbour) settleGone(l driver.Line) {
	n.Helper()
	for id, wait := range n.waits {
		if l.Find(id) >= 0 {
			continue
		}
		// Without an error it was granted, and then removed by force.
		if got := n.outcome(wait); got.err != nil && !errors.Is(got.err, driver.ErrGone) {
			n.Fatalf("the wait of a place that was evicted: %v", got.err)
		}
		delete(n.waits, id)
	}
}

func (n *neighbour) outcome(wait chan outcome) outcome {
	n.Helper()
	return n.outcomeWithin(patience, wait)
}

// soon is less than it takes until a sleeper glances by itself: what comes so soon was
// told.
const soon = firstGlance - time.Second

// granted waits until a place that is queued is granted, because that was told.
func (n *neighbour) granted(id string) driver.Place {
	n.Helper()
	got := n.outcomeWithin(soon, n.waits[id])
	if got.err != nil || !got.place.Granted {
		n.Fatalf("the wait of %s: %+v, %v", id, got.place, got.err)
	}
	return got.place
}

func (n *neighbour) outcomeWithin(d time.Duration, wait chan outcome) outcome {
	n.Helper()
	select {
	case got := <-wait:
		wait <- got // to be looked at again
		return got
	case <-time.After(d):
		n.Fatalf("a wait is stuck; the line is %+v", n.line("orders"))
		panic("unreachable")
	}
}

func (n *neighbour) line(name string) driver.Line {
	n.Helper()
	l, err := n.d.Line(n.Context(), name)
	if err != nil {
		n.Fatal(err)
	}
	return l
}

func (n *neighbour) leave(p driver.Place) {
	n.Helper()
	if err := n.s.Leave(n.Context(), p.Line, p.ID); err != nil {
		n.Fatal(err)
	}
}

// noteOrders remembers the orders of all places that lie anywhere.
func (n *neighbour) noteOrders() {
	n.Helper()
	files, err := filepath.Glob(filepath.Join(n.dir, "lines", "*", "*"))
	if err != nil {
		n.Fatal(err)
	}
	for _, file := range files {
		if order, _, _, ok := parseStem(filepath.Base(file) + "."); ok {
			n.newest = max(n.newest, order)
		}
	}
}

// newcomer gets the line at once, with an order that is new.
func (n *neighbour) newcomer(name string) {
	n.Helper()
	p, err := n.s.Enter(n.Context(), tryClaim(mutexClaim(name)))
	if err != nil || !p.Granted {
		n.Fatalf("a newcomer to %q: %+v, %v", name, p, err)
	}
	if p.Order <= n.newest {
		n.Fatalf("order %d was given before: %d", p.Order, n.newest)
	}
	n.leave(p)
}

// nothingLeft checks that, once the neighbour has gone too, the directory is as new,
// but for the counters.
func (n *neighbour) nothingLeft() {
	n.Helper()
	// Opening a session cleans up after a few others.
	for range 20 {
		_ = n.session().Close(n.Context())
	}
	for snap, err := range n.d.Watch(n.Context(), driver.Query{Prefix: true, Once: true}) {
		if err != nil || len(snap.Lines) > 0 {
			n.Fatalf("lines are left: %+v, %v", snap.Lines, err)
		}
	}
	if err := n.d.Close(); err != nil {
		n.Fatal(err)
	}
	if left := files(n, n.dir); len(left) > 0 {
		n.Fatalf("files are left: %q", left)
	}
}

// files returns what lies in a directory of locks, but for what always does.
func files(tb testing.TB, dir string) []string {
	tb.Helper()
	var out []string
	err := filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
		rel, _ := filepath.Rel(dir, path)
		known := []string{".", "VERSION", "locks", "sessions", "lines", "stage"}
		if !slices.Contains(known, rel) && !strings.HasPrefix(rel, "locks"+string(filepath.Separator)) {
			out = append(out, rel)
		}
		return err
	})
	if err != nil {
		tb.Fatal(err)
	}
	return out
}
