package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// worker is one goroutine that uses locks.
type worker struct {
	*client
	id    string
	dice  process.Dice
	calls int
}

func newWorker(c *client, n int) *worker {
	id := fmt.Sprintf("%s/%d", c.ID, n)
	return &worker{client: c, id: id, dice: process.NewDice(c.Seed, id)}
}

// run uses locks until the calm, then each of them once more: now it has to get it.
func (w *worker) run() {
	for w.stormy() {
		w.once(w.Names[w.dice.IntN(len(w.Names))])
		w.pause(w.dice.About(100*time.Microsecond, w.Habits.Rest))
	}
	for _, i := range w.dice.Perm(len(w.Names)) {
		c := w.call(context.Background(), w.Names[i])
		c.ask(history.Patient)
		c.took(w.locks.Mutex(c.name).Lock(c.ctx))
	}
}

// pause lets time pass, until the calm.
func (w *worker) pause(d time.Duration) {
	over := time.NewTimer(d)
	defer over.Stop()
	select {
	case <-over.C:
	case <-w.calm:
	}
}

// errImpatient is why a worker gives up.
var errImpatient = errors.New("the worker gave up")

// once uses a lock once, in one of the ways there are.
func (w *worker) once(name string) {
	ctx := context.Background()
	if w.dice.Chance(w.Habits.Cancel) {
		patience, stop := context.WithTimeoutCause(ctx, w.dice.About(time.Millisecond, w.TTL), errImpatient)
		defer stop()
		ctx = patience
	}
	c := w.call(ctx, name)
	c.ask("")
	switch {
	case w.dice.Chance(w.Habits.Try):
		c.took(w.locks.Mutex(name).TryLock(ctx))
	case w.dice.Chance(w.Habits.Do):
		c.do()
	default:
		c.took(w.locks.Mutex(name).Lock(ctx))
	}
}

// call is one call of Lock, and what follows it.
type call struct {
	*worker
	id   string
	name string
	ctx  context.Context
}

func (w *worker) call(ctx context.Context, name string) *call {
	w.calls++
	return &call{worker: w, id: fmt.Sprintf("%s#%d", w.id, w.calls), name: name, ctx: ctx}
}

func (c *call) record(e history.Event) {
	e.Hold, e.Name = c.id, c.name
	c.client.record(e)
}

func (c *call) ask(why string) { c.record(history.Event{Kind: history.Ask, Why: why}) }

// took goes on from what Lock returned.
func (c *call) took(lock *holdgate.Hold, err error) {
	if err != nil {
		c.refused(err)
		return
	}
	c.giveBack(lock, c.use(lock))
}

// use works under a lock until it is about to be released. It returns nil if the hold had
// ended at once.
func (c *call) use(lock *holdgate.Hold) *hold {
	h := c.granted(lock)
	if h != nil {
		h.work()
		h.release()
	}
	return h
}

// do takes the lock by Do, which releases it when the work is done.
func (c *call) do() {
	var h *hold
	ran := false
	err := c.locks.Do(c.ctx, c.name, func(_ context.Context, lock *holdgate.Hold) error {
		ran, h = true, c.use(lock) //nolint:contextcheck // a hold goes by its own context
		return nil
	})
	switch {
	case !ran:
		c.refused(err)
	case h != nil:
		c.record(history.Event{Kind: history.Released, Why: why(err)})
	}
}

// refused notes the error of a Lock.
func (c *call) refused(err error) {
	told := why(err)
	if errors.Is(err, holdgate.ErrBusy) {
		told = history.Busy
	}
	c.record(history.Event{Kind: history.Refuse, Why: told})
}

// giveBack releases the lock, mostly with patience, sometimes with a context that has
// ended before. h is nil when the worker never believed in the hold.
func (c *call) giveBack(lock *holdgate.Hold, h *hold) {
	ctx := context.Background()
	if c.stormy() && c.dice.Chance(0.2) {
		ended, end := context.WithCancelCause(ctx)
		end(errImpatient)
		ctx = ended
	}
	err := lock.Release(ctx)
	if h != nil {
		c.record(history.Event{Kind: history.Released, Why: why(err)})
	}
}
