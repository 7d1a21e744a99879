//go:build unix

package filedriver

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// crash is a call that a process is ended in, before each single change that it makes
// to the directory. The neighbour is another process with its own places.
type crash struct {
	name string
	// before has the neighbour take its places, and returns arguments for the child.
	before func(n *neighbour) []string
	// prepare is what the child does before the call that it dies in.
	prepare func(a *actor)
	// between has the neighbour act when the child has prepared.
	between func(n *neighbour)
	// act is the call.
	act func(a *actor)
	// after is what the neighbour finds.
	after func(n *neighbour)
}

// longLine is the name of a line whose directory needs a file for it.
var longLine = strings.Repeat("Long/", 60)

func crashes() []crash {
	return slices.Concat(crashesOfOne(), crashesBeforeOthers(), crashesOfEvictors(), crashesOfKeys())
}

// crashesOfOne are calls of a process that is alone in the line.
func crashesOfOne() []crash {
	enter := func(c driver.Claim) func(a *actor) { return func(a *actor) { a.enter(c) } }
	withData := mutexClaim("orders")
	withData.Data = []byte(`{"host":"a"}`)
	return []crash{
		{name: "open", prepare: func(*actor) {}, act: (*actor).open},
		{name: "enter", prepare: (*actor).open, act: enter(mutexClaim("orders"))},
		{name: "enter with data", prepare: (*actor).open, act: enter(withData)},
		{name: "enter a line with a long name", prepare: (*actor).open, act: enter(mutexClaim(longLine))},
		{name: "try all", prepare: (*actor).open, act: func(a *actor) {
			_, err := a.s.(driver.AllTrier).TryAll(ctx(), []driver.Claim{mutexClaim("orders"), mutexClaim("invoices")})
			a.must(err)
		}},
		{name: "tidy a line with a long name", prepare: (*actor).open, act: func(a *actor) {
			p := a.enter(mutexClaim(longLine))
			a.must(a.s.Leave(ctx(), p.Line, p.ID))
			a.must(a.d.Close())
		}},
	}
}

// crashesBeforeOthers are calls of a process while others wait behind it, or hold.
func crashesBeforeOthers() []crash {
	hold := func(a *actor) {
		a.open()
		a.say("holds", a.enter(mutexClaim("orders")).ID)
	}
	own := func(a *actor) driver.Place {
		l, err := a.d.Line(ctx(), "orders")
		a.must(err)
		return l.Places[0]
	}
	wait := func(n *neighbour) { n.queue(mutexClaim("orders")) }
	return []crash{
		{name: "leave", prepare: hold, between: wait, act: func(a *actor) {
			a.must(a.s.Leave(ctx(), "orders", own(a).ID))
		}},
		{name: "swap", prepare: hold, between: wait, act: func(a *actor) {
			c := mutexClaim("orders")
			c.Data = []byte("1")
			_, err := a.s.Swap(ctx(), own(a), c)
			a.must(err)
		}},
		{name: "close", prepare: hold, between: wait, act: func(a *actor) {
			a.must(a.s.Close(ctx()))
			a.must(a.d.Close())
		}},
		{name: "abandon", prepare: hold, between: wait, act: func(a *actor) { a.must(a.d.Close()) }},
		{
			name:    "update",
			prepare: func(a *actor) { a.open(); a.enter(permitsClaim("orders", 2, 2)) },
			between: func(n *neighbour) { n.queue(permitsClaim("orders", 2, 2)) },
			act: func(a *actor) {
				p := own(a)
				p.Units, p.Data = 1, []byte("2")
				_, err := a.s.Update(ctx(), p)
				a.must(err)
			},
		},
		{
			name:   "wait",
			before: func(n *neighbour) []string { n.queue(mutexClaim("orders")); return nil },
			prepare: func(a *actor) {
				a.open()
				a.say("waits for", own(a).ID)
			},
			act: func(a *actor) {
				p := a.enter(mutexClaim("orders"))
				waiting, cancel := context.WithCancel(ctx())
				a.slept = cancel // it gives up when it has told that it sleeps
				_, _ = a.s.Wait(waiting, p)
				a.must(a.s.Leave(ctx(), p.Line, p.ID))
			},
		},
		{
			name:   "clean up after another",
			before: func(n *neighbour) []string { n.corpse(mutexClaim("orders")); return nil },
			prepare: func(a *actor) {
				a.left = -1
				a.open()
			},
			act: func(a *actor) { _, err := a.d.Line(ctx(), "orders"); a.must(err) },
		},
	}
}

// crashesOfEvictors are of a process that has no place itself.
func crashesOfEvictors() []crash {
	// The arguments are the IDs of the holder and of two who wait.
	before := func(n *neighbour) []string {
		return []string{n.queue(mutexClaim("orders")), n.queue(mutexClaim("orders")), n.queue(mutexClaim("orders"))}
	}
	evict := func(which int, e driver.Eviction) func(a *actor) {
		return func(a *actor) { a.must(a.d.Evict(ctx(), "orders", a.args[which], e)) }
	}
	return []crash{
		{name: "evict a holder", before: before, prepare: (*actor).open, act: evict(0, driver.Eviction{Reason: "test"})},
		{name: "evict a holder by force", before: before, prepare: (*actor).open, act: evict(0, driver.Eviction{Force: true})},
		{name: "evict a waiter", before: before, prepare: (*actor).open, act: evict(1, driver.Eviction{Reason: "test"})},
		{name: "evict a waiter by force", before: before, prepare: (*actor).open, act: evict(1, driver.Eviction{Force: true})},
	}
}

// TestCrash ends a process before every change that it makes. Whatever it leaves, those
// who wait go on in order, newcomers get in, orders grow, and nothing remains.
func TestCrash(t *testing.T) {
	t.Parallel()
	for i, c := range crashes() {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			for change := 0; crashAt(t, i, c, change); change++ {
				if change > 100 {
					t.Fatal("the call makes changes without end")
				}
			}
		})
	}
}

// crashAt ends the process before one change. It reports false when the call made no
// more changes than that.
func crashAt(t *testing.T, number int, c crash, change int) (died bool) {
	t.Helper()
	n := newNeighbour(t)
	args := []string{strconv.Itoa(number), strconv.Itoa(change)}
	if c.before != nil {
		args = append(args, c.before(n)...)
	}
	child := startChild(t, "crash", n.dir, args...)
	child.expect("ready")
	if c.between != nil {
		c.between(n)
	}
	child.tell("go")
	said, _ := child.end()
	died = !slices.Contains(said, "done")
	t.Logf("change %d: %s", change, strings.Join(said, ", "))
	if c.after != nil {
		c.after(n)
	}
	n.drain()
	n.newcomer("orders")
	n.newcomer("invoices")
	n.newcomer(longLine)
	n.nothingLeft()
	return died
}

// playCrash is the child.
func playCrash(a *actor) {
	number, change := a.number(0), a.number(1)
	a.args = a.args[2:]
	c := crashes()[number]
	c.prepare(a)
	a.say("ready")
	a.await("go")
	a.left = change
	c.act(a)
	a.left = -1
	a.say("done")
}

// playHold is a process that holds a line until it is told to go.
func playHold(a *actor) {
	a.open()
	c := permitsClaim(a.args[0], int64(a.number(2)), int64(a.number(3)))
	c.Kind = driver.Kind(a.args[1])
	a.say("holds", a.waitSoon(a.enter(c)).ID)
	a.await("end")
}
