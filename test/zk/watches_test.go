package zk_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// Why a wait reads the node ahead, and does not ask whether it exists: if that has just gone,
// the question leaves a watch for a node that nobody will ever make.
func askingLeavesWatches(t *testing.T, _ *zkserver.Ensemble) {
	e := zkserver.Start(t, 1, zkserver.Config{}) // its count is of all its clients
	c := client(t, e)
	if _, _, _, err := c.GetW("/gone-0000000001"); err == nil {
		t.Fatal("a node is there that nobody made")
	}
	if got := e.Servers[0].Served(t).Watches; got != 0 {
		t.Errorf("reading what is not there left %v watches", got)
	}
	if _, _, _, err := c.ExistsW("/gone-0000000001"); err != nil {
		t.Fatal(err)
	}
	if got := e.Servers[0].Served(t).Watches; got != 1 {
		t.Errorf("asking for what is not there left %v watches: then it would do for a wait", got)
	}
}

// Waits leave no watches behind, whether they end by a grant or are given up.
func TestWaitsLeaveNoWatches(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	const processes, rounds = 4, 20
	var workers sync.WaitGroup
	for i := range processes {
		_, c := process(t, e.Addresses(), zkdriver.Options{}, 60*time.Second)
		workers.Go(func() {
			for round := range rounds {
				if err := lockOrGiveUp(t, c, i%2 == 0 && round%2 == 0); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if t.Failed() {
		return
	}
	// A release whose caller had left goes on for a moment.
	for ctx := bounded(t); ; {
		got := e.Servers[0].Served(t).Watches
		if got == 0 {
			return
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
			t.Fatalf("%d waits left %v watches", processes*rounds, got)
		}
	}
}

// lockOrGiveUp takes the lock and gives it back, or with impatience may leave the line before.
func lockOrGiveUp(t *testing.T, c *holdgate.Client, impatient bool) error {
	ctx := bounded(t)
	if impatient {
		within, cancel := context.WithTimeout(ctx, 2*time.Millisecond)
		defer cancel()
		ctx = within
	}
	hold, err := c.Mutex("orders").Lock(ctx)
	switch {
	case impatient && errors.Is(err, holdgate.ErrNotAcquired):
		return nil
	case err != nil:
		return fmt.Errorf("lock: %w", err)
	}
	return hold.Release(bounded(t))
}
