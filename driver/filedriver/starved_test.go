//go:build unix

package filedriver

import (
	"errors"
	"os"
	"syscall"
	"testing"
)

// TestNoDescriptorLeft: a process that has no descriptor left can still give up its
// place, and those who wait are woken as soon as it has one.
func TestNoDescriptorLeft(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	c := startChild(t, "starve", n.dir)
	c.expect("holds")
	waiter := n.queue(mutexClaim("orders"))
	c.tell("go")
	c.expect("left")
	c.tell("eat")
	if got := n.outcome(n.waits[waiter]); got.err != nil || !got.place.Granted {
		t.Errorf("the waiter: %+v, %v", got.place, got.err)
	}
	n.drain()
}

// playStarve is a process that leaves when no descriptor is left.
func playStarve(a *actor) {
	a.open()
	p := a.enter(mutexClaim("orders"))
	a.say("holds")
	a.await("go")
	a.must(syscall.Setrlimit(syscall.RLIMIT_NOFILE, &syscall.Rlimit{Cur: 64, Max: 64}))
	var all []*os.File
	for {
		f, err := os.Open(os.DevNull)
		if errors.Is(err, syscall.EMFILE) {
			break
		}
		a.must(err)
		all = append(all, f)
	}
	a.must(a.s.Leave(ctx(), p.Line, p.ID))
	a.say("left")
	a.await("eat")
	for _, f := range all {
		a.must(f.Close())
	}
	a.await("end")
}
