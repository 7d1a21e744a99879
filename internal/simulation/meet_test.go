package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/internal/history"
)

// errSpoilt: the work was not done.
var errSpoilt = errors.New("spoilt")

// onlyOnce does something unless it was done within the window.
func (c *simCall) onlyOnce(ctx context.Context) {
	var h *simHold
	var until time.Duration
	spoilt, lost := c.dice.chance(0.2), false
	o, err := c.proc.client.Once(ctx, c.name, c.use.window, func(ctx context.Context, lock *holdgate.Hold) error {
		c.answered()
		if h = c.granted(ctx, lock); h == nil {
			lost = true // which was recorded
			return errSpoilt
		}
		c.record(history.Began, "")
		h.work()
		h.release()
		until = c.proc.world.now() + c.use.window
		if spoilt {
			return errSpoilt
		}
		return nil
	})
	c.answered()
	switch {
	case lost:
	case h != nil:
		if err == nil && o.Ran {
			c.proc.count("done once")
			c.proc.record(history.Event{Kind: history.Done, Hold: c.id, Name: c.name, Until: until})
		} else if err == nil {
			c.object("contract", "Once ran it, and says that %q did", o.By)
		}
		c.record(history.Released, h.why(err))
	case err == nil:
		if o.Ran || o.At.IsZero() {
			c.object("contract", "Once did nothing, and answered %+v", o)
		}
		c.proc.count("found done")
		c.record(history.Refuse, "it is done")
	default:
		c.record(history.Refuse, err.Error())
	}
}

// meet enters a barrier, and leaves it together with the others.
func (k *simWorker) meet(ctx context.Context, name string, parties int64) {
	k.calls++
	id := fmt.Sprintf("%s#%d", k.id, k.calls)
	party, err := k.proc.client.Barrier(name, parties).Enter(ctx)
	if err != nil {
		k.proc.count("nobody came")
		return
	}
	k.proc.count("met")
	k.proc.record(history.Event{Kind: history.Met, Hold: id, Name: name, Capacity: parties})
	k.proc.sleep(k.dice.about(simLeast, 10*time.Millisecond))
	_ = party.Leave(ctx)
}
