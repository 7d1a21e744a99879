package etcd_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// Renewals go on through a change of leader, whether it is asked to hand over or killed.
func TestAHoldSurvivesChangesOfLeader(t *testing.T) {
	t.Parallel()
	renewed := make(chan struct{}, 1)
	cluster, _, client := withLink(t, &holdgate.Options{
		TTL: 8 * time.Second,
		OnEvent: func(e holdgate.Event) {
			if e.Type == holdgate.EventRenewed && e.Err == nil {
				select {
				case renewed <- struct{}{}:
				default:
				}
			}
		},
	})
	hold, err := client.Mutex("orders").Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	wantHeld := func(after string) {
		t.Helper()
		for range 2 { // the first may have been under way
			select {
			case <-renewed:
			case <-hold.Done():
				t.Fatalf("after %s the hold was lost: %v", after, hold.Err())
			}
		}
		if err := verify(t, hold); err != nil {
			t.Errorf("after %s: %v", after, err)
		}
	}
	for range 3 {
		moveLeader(t, cluster)
		wantHeld("a change of leader")
	}
	leader := cluster.Leader(t)
	leader.Kill()
	wantHeld("the death of the leader")
	leader.Restart()
	if err := hold.Release(t.Context()); err != nil {
		t.Error(err)
	}
}

// verify asks the store, which may be without a leader for a moment.
func verify(t *testing.T, hold *holdgate.Hold) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), soonWell)
	defer cancel()
	var err error
	for ctx.Err() == nil {
		if err = hold.Verify(ctx); err == nil {
			return nil
		}
		wait(t, 50*time.Millisecond)
	}
	return err
}
