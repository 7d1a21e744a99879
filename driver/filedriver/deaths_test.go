//go:build unix

package filedriver

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// The tests here have a holder die whom the sleeper did not watch from the beginning.

// TestFarHolderDies: the first that does not fit watches all ahead of it.
func TestFarHolderDies(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	far := n.startHolder(permitsClaim("orders", 2, 1))
	n.queue(permitsClaim("orders", 2, 1))
	waiter := n.queue(permitsClaim("orders", 2, 1))
	far.kill()
	n.granted(waiter)
}

// TestHolderDiesAfterGrant: once the one ahead of it is granted, a sleeper takes over
// watching the others.
func TestHolderDiesAfterGrant(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	far := n.startHolder(permitsClaim("orders", 2, 1))
	near := n.granted(n.queue(permitsClaim("orders", 2, 1)))
	first := n.queue(permitsClaim("orders", 2, 1))
	second := n.queue(permitsClaim("orders", 2, 1))
	n.leave(near)
	n.granted(first)
	far.kill()
	n.granted(second)
}

// TestHolderDiesAfterWaiterLeft: so it does when the waiter ahead of it left.
func TestHolderDiesAfterWaiterLeft(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := n.startHolder(mutexClaim("orders"))
	first := n.queue(mutexClaim("orders"))
	second := n.queue(mutexClaim("orders"))
	n.leave(driver.Place{Line: "orders", ID: first})
	holder.kill()
	n.granted(second)
}

// TestHolderDiesAfterWaiterDied: or was killed.
func TestHolderDiesAfterWaiterDied(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := n.startHolder(mutexClaim("orders"))
	first := startChild(t, "wait", n.dir)
	first.expect("entered")
	n.awaitSleepers("orders", 1)
	second := n.queue(mutexClaim("orders"))
	first.kill()
	holder.kill()
	n.granted(second)
}

// TestHolderDiesAfterWaiterWasEvicted: or was evicted.
func TestHolderDiesAfterWaiterWasEvicted(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := n.startHolder(mutexClaim("orders"))
	first := n.queue(mutexClaim("orders"))
	second := n.queue(mutexClaim("orders"))
	if err := n.d.Evict(t.Context(), "orders", first, driver.Eviction{Reason: "test"}); err != nil {
		t.Fatal(err)
	}
	if got := n.outcomeWithin(soon, n.waits[first]); !errors.Is(got.err, driver.ErrGone) {
		t.Fatalf("the wait of who was evicted: %v, want gone", got.err)
	}
	holder.kill()
	n.granted(second)
}

// TestHolderDiesAfterWaitEnded: or stands, and does not wait any more.
func TestHolderDiesAfterWaitEnded(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder := n.startHolder(mutexClaim("orders"))
	first, err := n.s.Enter(t.Context(), mutexClaim("orders"))
	if err != nil {
		t.Fatal(err)
	}
	waiting, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { // ends by cancel
		_, err := n.s.Wait(waiting, first)
		ended <- err
	}()
	n.awaitSleepers("orders", 1)
	second := n.queue(mutexClaim("orders"))
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Fatalf("a wait that was cancelled: %v", err)
	}
	holder.kill()
	for deadline := time.Now().Add(soon); ; time.Sleep(time.Millisecond) { // nobody tells
		v, err := n.d.line("orders").scan() // which does not clean up itself
		if err != nil {
			t.Fatal(err)
		}
		if v.places[0].ID == first.ID {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("nobody noticed that the holder died")
		}
	}
	n.leave(first)
	n.granted(second)
}
