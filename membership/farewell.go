package membership

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/internal/backoff"
)

// A member that leaves says so, in the map of the store, before it gives its place back. That
// is how those who watch tell it from one that died: a watch shows states, not what led to
// them, so nothing that is written into the place itself is sure to be seen.
const (
	farewellPrefix = "holdgate.left/"
	// farewellKept is how long it is kept: whoever did not reach the store for longer than
	// that takes a member that left for one that was lost.
	farewellKept = 10 * time.Minute
	// farewellLimit bounds how long a member that leaves tries to say so.
	farewellLimit    = 5 * time.Second
	farewellAttempts = 3
)

// farewells is the map of the store, nil where it has none.
func (g Group) farewells() driver.KV {
	kv, ok := g.client.Driver().(driver.KV)
	if !g.client.Features().KV || !ok {
		return nil
	}
	return kv
}

// farewell says that the member leaves. Where that does not succeed, it will look lost.
func (m *Membership) farewell(ctx context.Context) {
	kv := m.group.farewells()
	if kv == nil {
		return
	}
	ctx, stop := context.WithTimeout(ctx, farewellLimit)
	defer stop()
	for failures := 1; ; failures++ {
		attempt, done := context.WithTimeout(ctx, farewellLimit/farewellAttempts)
		_, err := kv.Put(attempt, driver.Put{
			Key: farewellPrefix + m.card.Incarnation, Value: []byte(m.card.ID), TTL: farewellKept,
		})
		unanswered := attempt.Err() != nil
		done()
		if err == nil || !transient(err) && !unanswered || backoff.Pause(ctx, failures, lastPause) != nil {
			return
		}
	}
}

// left reports whether a member that is gone has said so. While the store is away it asks
// again, until ctx ends.
func (g Group) left(ctx context.Context, gone Member) (bool, error) {
	kv := g.farewells()
	if kv == nil {
		return false, nil
	}
	for failures := 1; ; failures++ {
		attempt, done := context.WithTimeout(ctx, farewellLimit)
		_, err := kv.Get(attempt, farewellPrefix+gone.Incarnation)
		unanswered := attempt.Err() != nil
		done()
		switch {
		case err == nil:
			return true, nil
		case errors.Is(err, driver.ErrGone):
			return false, nil
		case ctx.Err() == nil && !transient(err) && !unanswered:
			return false, fmt.Errorf("how %q left %q: %w", gone.ID, g.Name(), err)
		}
		if cause := backoff.Pause(ctx, failures, lastPause); cause != nil {
			return false, cause
		}
	}
}
