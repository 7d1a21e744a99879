//go:build unix

package filedriver

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"
)

// TestManyWaiters has 200 processes wait. Each release wakes one of them, in order, and
// pokes nobody else; or nobody at all, should the next one have looked just then.
func TestManyWaiters(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := startChild(t, "wait", n.dir)
	holder.expect("granted")
	children := n.startWaiters(manyWaiters)
	poked := 0
	holder.tell("go")
	for i, c := range children {
		var newest uint64
		if _, err := fmt.Sscan(c.expect("granted"), &newest); err != nil {
			t.Fatal(err)
		}
		if newest <= n.newest {
			t.Errorf("waiter %d has order %d after %d", i, newest, n.newest)
		}
		n.newest = newest
		if next := i + 1; next < len(children) && len(children[next].said) > 0 {
			t.Fatalf("waiter %d was granted while %d holds", next, i)
		}
		c.tell("go")
		pokes, err := strconv.Atoi(c.expect("left, pokes:"))
		if err != nil || pokes > 1 {
			t.Errorf("the release of waiter %d poked %d, want at most 1 (%v)", i, pokes, err)
		}
		poked += pokes
	}
	if least := len(children) * 9 / 10; poked < least {
		t.Errorf("%d releases poked the next one, want at least %d", poked, least)
	}
	n.newcomer("orders")
}

// TestWaiterDies kills waiters in the middle of a line, and then the holder.
func TestWaiterDies(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := startChild(t, "wait", n.dir)
	holder.expect("granted")
	c := n.startWaiters(5)
	c[1].kill()
	c[2].kill()
	holder.kill()
	for _, i := range []int{0, 3, 4} {
		c[i].expect("granted")
		c[i].tell("go")
		c[i].expect("left")
	}
	n.newcomer("orders")
}

// startWaiters starts processes that wait for "orders", and returns them in line order
// once all of them sleep.
func (n *neighbour) startWaiters(count int) []*child {
	n.Helper()
	children := make([]*child, count)
	for i := range children {
		children[i] = startChild(n, "wait", n.dir)
	}
	orders := map[*child]uint64{}
	for _, c := range children {
		order, err := strconv.ParseUint(c.expect("entered"), 10, 64)
		if err != nil {
			n.Fatal(err)
		}
		orders[c] = order
	}
	slices.SortFunc(children, func(a, b *child) int { return cmp.Compare(orders[a], orders[b]) })
	n.awaitSleepers("orders", count)
	return children
}

// awaitSleepers returns when so many sleep in a line.
func (n *neighbour) awaitSleepers(line string, count int) {
	n.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(time.Millisecond) { // nobody tells
		v, err := n.d.line(line).scan()
		if err != nil {
			n.Fatal(err)
		}
		asleep := 0
		for _, note := range v.notes {
			if note.waiting {
				asleep++
			}
		}
		if asleep == count {
			return
		}
		if time.Now().After(deadline) {
			n.Fatalf("%d sleep, want %d", asleep, count)
		}
	}
}

// playWait is a process that waits, and holds until it is told to go.
func playWait(a *actor) {
	a.open()
	p := a.enter(mutexClaim("orders"))
	a.say("entered", p.Order)
	p, err := a.s.Wait(ctx(), p)
	a.must(err)
	a.say("granted", p.Order)
	a.await("go")
	a.pokes = 0
	a.must(a.s.Leave(ctx(), p.Line, p.ID))
	a.say("left, pokes:", a.pokes)
}
