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

// simWorker takes locks, writes to what they protect, and gives them back.
type simWorker struct {
	proc  *simProcess
	id    string
	dice  simDice
	calls int
}

func newSimWorker(p *simProcess, n int) *simWorker {
	id := fmt.Sprintf("%s/%d", p.id, n)
	return &simWorker{proc: p, id: id, dice: newDice(p.world.plan.seed, id)}
}

func (k *simWorker) run() {
	w, habits := k.proc.world, k.proc.world.plan.habits
	for k.calls < habits.calls && k.proc.sleep(k.dice.about(simLeast, habits.rest)) && w.stormy() {
		k.once(w.plan.names[k.dice.IntN(len(w.plan.names))])
	}
	select {
	case <-w.settled:
	case <-k.proc.ctx.Done():
		return
	}
	for _, name := range w.plan.names {
		if w.plan.uses[name].parties > 0 {
			continue // nobody knows who will come
		}
		if !k.proc.sleep(k.dice.about(simLeast, 10*time.Millisecond)) {
			return
		}
		c := k.call(name)
		c.ask(history.Patient)
		c.took(c.take(k.proc.ctx))
	}
}

// once uses a lock once, in one of the ways there are.
func (k *simWorker) once(name string) {
	habits := k.proc.world.plan.habits
	patience := 1000 * k.proc.world.plan.ttl // it never gives up
	if k.dice.chance(habits.cancel) {
		patience = k.dice.about(simLeast, k.proc.world.plan.ttl)
	}
	ctx, giveUp := k.proc.within(patience)
	defer giveUp()
	if names := k.proc.world.plan.mutexes(); len(names) > 1 && k.dice.chance(habits.all) {
		k.all(ctx, names, k.dice.chance(habits.try))
		return
	}
	if parties := k.proc.world.plan.uses[name].parties; parties > 0 {
		soon, leave := k.proc.within(k.dice.about(time.Millisecond, k.proc.world.plan.ttl))
		defer leave()
		k.meet(soon, name, parties)
		return
	}
	c := k.call(name)
	c.ctx, c.giveUp = ctx, giveUp
	c.ask("")
	c.watch(ctx)
	switch {
	case c.use.window > 0:
		c.onlyOnce(ctx)
	case c.use.kind != driver.KindElection && k.dice.chance(habits.try):
		c.try = true
		c.took(c.take(ctx))
	case c.use == simUse{} && k.dice.chance(habits.do):
		c.do()
	default:
		c.begins()
		c.took(c.take(ctx))
	}
}

// simCall is one call of Lock.
type simCall struct {
	*simWorker
	id   string
	name string
	use  simUse
	ctx  context.Context
	try  bool

	together        string // history.Together when others are taken with it
	units, capacity int64
	lead            *holdgate.Leadership // of an election, once it leads
	steps           int                  // values that it has told
	// giveUp ends ctx.
	giveUp context.CancelFunc
	// answered ends what notes that the context of the call under way has ended.
	answered func()
}

func (k *simWorker) call(name string) *simCall {
	k.calls++
	c := &simCall{
		simWorker: k, id: fmt.Sprintf("%s#%d", k.id, k.calls), name: name, use: k.proc.world.plan.uses[name],
		ctx: k.proc.ctx, answered: func() {},
	}
	c.units, c.capacity = c.use.want(k.dice)
	return c
}

func (c *simCall) record(kind history.Kind, why string) {
	c.proc.record(history.Event{Kind: kind, Hold: c.id, Name: c.name, Why: why})
}

func (c *simCall) ask(why string) { c.record(history.Ask, why) }

// took goes on from what Lock returned.
func (c *simCall) took(lock *holdgate.Hold, err error) {
	c.answered()
	c.ends()
	if err != nil {
		c.refused(err)
		return
	}
	h := c.granted(lock.Context(), lock)
	if h != nil {
		h.work()
	}
	c.release(lock, h)
}

// do takes the lock by Do, which releases it when the work is done.
func (c *simCall) do() {
	ran := false
	err := c.proc.client.Do(c.ctx, c.name, func(ctx context.Context, lock *holdgate.Hold) error {
		ran = true
		c.answered()
		if h := c.granted(ctx, lock); h != nil {
			h.work()
			h.release()
		}
		return nil
	})
	switch {
	case !ran && err == nil:
		c.object("contract", "Do answered nil, and did nothing")
	case !ran:
		c.answered()
		c.refused(err)
	default:
		c.record(history.Released, why(err))
	}
}

// refused judges the error of a Lock.
func (c *simCall) refused(err error) {
	told := err.Error()
	if errors.Is(err, holdgate.ErrBusy) {
		told = history.Busy
	}
	c.record(history.Refuse, told)
	busy, ended := errors.Is(err, holdgate.ErrBusy), c.ctx.Err() != nil
	switch {
	case busy && !c.try:
		c.object("contract", "Lock answered ErrBusy: %v", err)
	case busy:
		c.proc.count("try was busy")
	case !errors.Is(err, holdgate.ErrNotAcquired):
		c.object("contract", "Lock did not answer ErrNotAcquired: %v", err)
	case ended && !errors.Is(err, context.Cause(c.ctx)):
		c.object("contract", "the context ended by %v, Lock answered %v", context.Cause(c.ctx), err)
	case ended:
		c.proc.count("gave up")
	}
}

// release gives the lock back in one of the ways there are.
func (c *simCall) release(lock *holdgate.Hold, h *simHold) {
	if h != nil {
		h.release()
	}
	if c.dice.chance(c.proc.world.plan.habits.async) {
		c.startle()
		c.releaseLater(lock, h)
		return
	}
	ctx, stop := c.proc.ctx, func() {}
	if c.proc.world.stormy() {
		switch c.dice.IntN(4) {
		case 0: // one that ended before
			ctx, stop = c.proc.within(0)
			stop()
		case 1:
			ctx, stop = c.proc.within(c.dice.about(simLeast, c.proc.world.plan.ttl))
		}
	}
	defer stop()
	c.startle()
	c.watch(ctx)
	err := lock.Release(ctx)
	c.answered()
	if h != nil {
		c.record(history.Released, why(err))
	}
	if err := lock.Release(ctx); c.dice.chance(0.1) && !errors.Is(err, holdgate.ErrNotHeld) {
		c.object("contract", "the second Release answered %v", err)
	}
}

// releaseLater gives the lock back, and does not wait for the store.
func (c *simCall) releaseLater(lock *holdgate.Hold, h *simHold) {
	c.proc.count("released later")
	err := lock.ReleaseAsync()
	if h != nil {
		c.record(history.Released, why(err))
	}
	if c.proc.world.stormy() && c.dice.chance(0.3) {
		// Before the store was told: it takes the place over.
		next := c.call(c.name)
		next.ask("")
		next.took(next.take(next.ctx))
	}
}

func (c *simCall) object(rule, format string, args ...any) {
	if !c.proc.dead.Load() {
		c.proc.world.object(rule, c.id+": "+format, args...)
	}
}
