//go:build unix

package filedriver

import (
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// TestEvictionAfterGrant: an evictor saw somebody wait, who is let through before the mark
// is made. He keeps his place.
func TestEvictionAfterGrant(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := n.granted(n.queue(mutexClaim("orders")))
	id := n.queue(mutexClaim("orders"))
	evict(n, id, func(path string) bool { return strings.HasSuffix(path, sideMark) }, func() {
		n.leave(holder)
		n.granted(id)
	})
	if l := n.line("orders"); len(l.Places) != 1 || l.Places[0].ID != id || l.Places[0].Eviction == nil {
		t.Errorf("after the eviction of who was granted just before: %+v", l.Places)
	}
}

// TestEvictionBeforeGrant: an evictor decided that somebody waits, who fits before he is
// removed. He must not believe that he holds.
func TestEvictionBeforeGrant(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := n.granted(n.queue(mutexClaim("orders")))
	id := n.queue(mutexClaim("orders"))
	evict(n, id, func(path string) bool { _, ok := parseFileName(filepath.Base(path)); return ok }, func() {
		n.leave(holder)
		// Nobody tells when he asks for the lock file.
		for stripe := n.d.stripes[stripeOf("orders")]; len(stripe.turn) == 0; time.Sleep(time.Millisecond) {
			if len(n.waits[id]) > 0 {
				t.Error("he believes that he holds")
				return
			}
		}
		if l := n.line("orders"); len(l.Places) != 1 || l.Places[0].Granted {
			t.Errorf("while he is being removed: %+v, want him not granted", l.Places)
		}
	})
	if got := n.outcome(n.waits[id]); !errors.Is(got.err, driver.ErrGone) {
		t.Errorf("Wait: %+v, %v, want gone", got.place, got.err)
	}
}

// evict evicts a place, and does something before the first change to a file that
// matches.
func evict(n *neighbour, id string, match func(path string) bool, before func()) {
	n.Helper()
	once := sync.OnceFunc(before)
	evictor, err := open(n.dir, nil, seams{fileSystem: unusableFileSystem, step: func(_, path string) {
		if match(path) {
			once()
		}
	}})
	if err != nil {
		n.Fatal(err)
	}
	defer func() { _ = evictor.Close() }()
	if err := evictor.Evict(n.Context(), "orders", id, driver.Eviction{Reason: "test"}); err != nil {
		n.Errorf("Evict: %v", err)
	}
}

// TestEvictionMeetsGrant evicts a waiter at the moment in which it is let through. It is
// either gone, or granted; and then it stands, with the mark, until it leaves.
func TestEvictionMeetsGrant(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	evictor := openDriver(t, n.dir)
	holders := n.session()
	granted, evicted := 0, 0
	for range 400 {
		holder, err := holders.Enter(t.Context(), mutexClaim("orders"))
		if err != nil {
			t.Fatal(err)
		}
		id := n.queue(mutexClaim("orders"))
		wait := n.waits[id]
		delete(n.waits, id)
		answered := make(chan error, 1)
		go func() { // ends by itself; awaited below
			answered <- evictor.Evict(t.Context(), "orders", id, driver.Eviction{Reason: "test"})
		}()
		if err := holders.Leave(t.Context(), "orders", holder.ID); err != nil {
			t.Fatal(err)
		}
		got := n.outcome(wait)
		if err := <-answered; err != nil {
			t.Fatalf("Evict: %v", err)
		}
		l := n.line("orders")
		switch i := l.Find(id); {
		case errors.Is(got.err, driver.ErrGone) && i < 0:
			evicted++
		case got.err == nil && i == 0 && l.Places[0].Granted && l.Places[0].Eviction != nil:
			granted++
			n.leave(got.place)
		default:
			t.Fatalf("Wait: %+v, %v, and the line is %+v", got.place, got.err, l.Places)
		}
	}
	t.Logf("%d were granted, %d were evicted while they waited", granted, evicted)
	n.newcomer("orders")
}
