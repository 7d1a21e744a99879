package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/internal/history"
)

// simUse is what the name of a lock is used as; the zero one is a mutex.
type simUse struct {
	kind    driver.Kind
	permits int64         // of a semaphore
	parties int64         // of a barrier
	window  time.Duration // of what is done once, under a mutex
}

// newRecipePlan is a plan in which names are used as every kind of lock there is.
func newRecipePlan(seed uint64) simPlan {
	p := newSimPlan(seed)
	dice := newDice(seed, "recipes")
	uses := map[string]simUse{
		"catalog": {kind: driver.KindRW},
		"gpu":     {kind: driver.KindSemaphore, permits: 2 + dice.Int64N(3)},
		"leader":  {kind: driver.KindElection},
		"orders":  {}, "stock": {},
	}
	p.uses = make(map[string]simUse)
	p.names = nil
	for _, name := range []string{"catalog", "gpu", "leader", "orders", "stock"} {
		if dice.chance(0.5) || name == "stock" && len(p.names) == 0 {
			p.names = append(p.names, name)
			p.uses[name] = uses[name]
		}
	}
	p.habits.lower, p.habits.all = dice.share(0.7, 0.6), dice.share(0.7, 0.4)
	p.habits.async = dice.share(0.7, 0.8)
	if dice.chance(0.4) {
		p.names = append(p.names, "nightly")
		p.uses["nightly"] = simUse{window: dice.within(time.Second, p.storm)}
	}
	if dice.chance(0.4) {
		p.names = append(p.names, "meeting")
		p.uses["meeting"] = simUse{parties: 2 + dice.Int64N(2)}
	}
	return p
}

// mutexes are the names that are used as such.
func (p simPlan) mutexes() []string {
	var names []string
	for _, name := range p.names {
		if p.uses[name] == (simUse{}) {
			names = append(names, name)
		}
	}
	return names
}

// want decides how much of the lock is asked for, and how much there is.
func (u simUse) want(dice simDice) (units, capacity int64) {
	switch u.kind {
	case driver.KindRW:
		if dice.chance(0.4) {
			return driver.MaxCapacity, driver.MaxCapacity
		}
		return 1, driver.MaxCapacity
	case driver.KindSemaphore:
		return 1 + dice.Int64N(u.permits), u.permits
	}
	return 1, 1
}

// take locks, or tries to.
func (c *simCall) take(ctx context.Context) (*holdgate.Hold, error) {
	client := c.proc.client
	switch c.use.kind {
	case driver.KindRW:
		return c.takeRW(ctx, client.RWMutex(c.name))
	case driver.KindSemaphore:
		if c.try {
			return client.Semaphore(c.name, c.use.permits).TryAcquire(ctx, c.units)
		}
		return client.Semaphore(c.name, c.use.permits).Acquire(ctx, c.units)
	case driver.KindElection:
		lead, err := client.Election(c.name).Campaign(ctx, c.id)
		if err != nil {
			return nil, err
		}
		c.lead = lead
		return lead.Hold, nil
	}
	if c.try {
		return client.Mutex(c.name).TryLock(ctx)
	}
	return client.Mutex(c.name).Lock(ctx)
}

func (c *simCall) takeRW(ctx context.Context, m holdgate.RWMutex) (*holdgate.Hold, error) {
	switch writes := c.units == c.capacity; {
	case writes && c.try:
		return m.TryLock(ctx)
	case writes:
		return m.Lock(ctx)
	case c.try:
		return m.TryRLock(ctx)
	}
	return m.RLock(ctx)
}

// change does what the holder may do to its place: a writer becomes a reader, a leader tells
// another value.
func (h *simHold) change() {
	ctx, stop := h.proc.within(h.dice.about(simLeast, h.proc.world.plan.ttl))
	defer stop()
	var err error
	switch {
	case h.lead != nil:
		h.proc.count("proclaimed")
		h.steps++
		err = h.lead.Proclaim(ctx, fmt.Sprintf("%s/%d", h.id, h.steps))
	case h.use.kind == driver.KindRW && h.lock.Exclusive():
		h.proc.count("downgraded")
		h.proc.record(history.Event{Kind: history.Lowered, Hold: h.id, Name: h.name, Units: 1})
		err = h.lock.Downgrade(ctx)
	default:
		return
	}
	if err != nil && h.lock.Err() == nil && ctx.Err() == nil && !errors.Is(err, holdgate.ErrUnavailable) {
		h.object("contract", "the place could not be changed: %v", err)
	}
}

// all takes several mutexes together.
func (k *simWorker) all(ctx context.Context, names []string, try bool) {
	calls := make([]*simCall, len(names))
	for i, name := range names {
		calls[i] = k.call(name)
		calls[i].ctx, calls[i].try, calls[i].together = ctx, try, history.Together
		calls[i].ask("")
		calls[i].watch(ctx)
	}
	lock := k.proc.client.LockAll
	if try {
		lock = k.proc.client.TryLockAll
	}
	hold, err := lock(ctx, names...)
	if err != nil {
		for _, c := range calls {
			c.answered()
			c.refusedTogether(err)
		}
		return
	}
	k.proc.count("taken together")
	var holds []*simHold
	for _, c := range calls {
		c.answered()
		if h := c.granted(hold.Context(), hold); h != nil {
			holds = append(holds, h)
		}
	}
	for _, h := range holds {
		h.work()
	}
	for _, h := range holds {
		h.release()
	}
	err = hold.Release(k.proc.ctx)
	for _, h := range holds {
		h.record(history.Released, h.why(err))
	}
}

// why is how a history tells an error that may be about another of the names that were taken
// together.
func (h *simHold) why(err error) string {
	var lost *holdgate.LostError
	if errors.As(err, &lost) && lost.Name != h.name {
		return "with " + lost.Name + ": " + why(err)
	}
	return why(err)
}

// refusedTogether judges an error that may be about another of the names.
func (c *simCall) refusedTogether(err error) {
	if errors.Is(err, holdgate.ErrBusy) {
		c.record(history.Refuse, "one of them is busy")
		return
	}
	c.refused(err)
}

// observe watches the elections there are, and notes what it sees.
func (p *simProcess) observe() {
	for name, use := range p.world.plan.uses {
		if use.kind != driver.KindElection {
			continue
		}
		p.observers.Go(func() { // ends with the process
			for leader, err := range p.client.Election(name).Observe(p.ctx) {
				if err != nil {
					return
				}
				p.count("saw a leader")
				p.record(history.Event{Kind: history.Saw, Hold: p.id + "/observer", Name: name, Place: leader.ID, Token: uint64(leader.Token)})
			}
		})
	}
}
