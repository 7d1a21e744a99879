package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/supervise"
)

// running is one call of run.
type running struct {
	*runFlags
	store   store.Store
	teller  *teller
	signals chan os.Signal
	client  *connection
	holder  string // the owner's text

	take  func(*holdgate.Client) taker
	again bool // when it is lost, it is taken again
	terms int  // how often it was held
}

// run is the whole of it.
func (r *running) run(ctx context.Context, names, command []string) error {
	path, err := child.Find(command[0]) // before anybody waits for it in vain
	if err != nil {
		return err
	}
	if r.store, err = r.parse(); err != nil {
		return err
	}
	child.Catch(r.signals, child.Interrupts()...)
	if err = r.connect(ctx); err != nil {
		return err
	}
	for {
		hold, err := r.acquire(ctx, names)
		if hold == nil { // with --on-busy skip that is no error
			return errors.Join(err, r.client.Close(ctx))
		}
		r.terms++
		if ended, err := r.under(ctx, hold, child.Spec{Path: path, Args: command}); ended {
			return err
		}
		r.teller.anew()
	}
}

// connect opens the store.
func (r *running) connect(ctx context.Context) error {
	o := r.options(os.Getpid(), r.teller.waiting)
	client, err := connectOrStop(ctx, r.signals, r.store, o, r.storeTime())
	if err != nil {
		return err
	}
	if err = r.checkStore(client.Features()); err != nil {
		return errors.Join(err, client.Close(ctx))
	}
	r.client, r.holder = client, o.Owner
	if r.store.Default {
		r.teller.notice(defaultNotice(r.store))
	}
	return nil
}

// defaultNotice says what it means that nobody named a store. The directory depends on the
// environment: cron's may be another than a shell's.
func defaultNotice(s store.Store) string {
	return fmt.Sprintf("no store is named (--store): this excludes processes of this user on this machine only, through %s", s)
}

// acquire waits for the lock. What it prints on a terminal is gone when it returns. It returns
// no hold and no error where there is nothing to do.
func (r *running) acquire(ctx context.Context, names []string) (*holdgate.Hold, error) {
	wait, stop := interruptible(ctx, r.signals)
	hold, err := r.acquireUndone(wait, names[0])
	signal := stop()
	r.teller.done()
	if signal != nil { // also when the lock was granted at that moment: Close gives it back
		return nil, signal
	}
	if err != nil {
		if len(names) > 1 { // the line of which of them?
			return nil, r.refused(explain(ctx, r.client, "", err))
		}
		return nil, r.refused(explain(ctx, r.client, names[0], err))
	}
	if hold != nil {
		r.teller.acquired(hold)
	}
	return hold, nil
}

// acquireUndone takes the lock, unless somebody has done what it is for.
func (r *running) acquireUndone(ctx context.Context, name string) (*holdgate.Hold, error) {
	if done, err := r.done(ctx, r.client, r.teller, name); done || err != nil {
		return nil, err
	}
	hold, err := r.lock(ctx, r.take(r.client.Client))
	if err != nil {
		return nil, err
	}
	if done, err := r.done(ctx, r.client, r.teller, name); done || err != nil {
		return nil, errors.Join(err, hold.Release(ctx))
	}
	return hold, nil
}

// refused is what to exit with when the lock was not acquired.
func (r *running) refused(err error) error {
	if r.onBusy != "skip" || exitCode(err) != exitBusy {
		return r.lockFlags.refused(err)
	}
	r.teller.notice("skipped: " + oneLine(err.Error()))
	return nil
}

// under runs the command, which has the lock until it and its group are gone. It reports whether
// that is all.
func (r *running) under(ctx context.Context, hold *holdgate.Hold, spec child.Spec) (ended bool, err error) {
	begun := time.Now()
	code, why, err := r.supervise(hold, spec)
	if err == nil && why != nil && r.again {
		r.standDown(ctx, hold)
		return false, nil
	}
	if err == nil && why == nil {
		r.record(ctx, r.teller, hold, code)
	}
	lost := r.giveBack(ctx, hold)
	r.teller.flush()
	switch {
	case err != nil:
		return true, err
	case why != nil:
		r.teller.ended(hold.Name(), why)
		return true, silently(exitLost)
	case lost != nil:
		return true, lost
	}
	r.teller.released(hold.Name(), time.Since(begun), code)
	return true, silently(code)
}

// standDown gives back what is lost or about to be, to be taken again: nobody waits for that.
func (r *running) standDown(ctx context.Context, hold *holdgate.Hold) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	_ = hold.Release(ctx) // why it ended was said
	r.teller.flush()
}

// supervise starts the command and waits for it.
func (r *running) supervise(hold *holdgate.Hold, spec child.Spec) (code int, why, err error) {
	if spec.Keep, err = hold.Inherit(); err != nil {
		return 0, nil, err
	}
	spec.Env = r.environ(hold)
	return attend(hold, spec, supervise.Options{
		Grace:    r.graceTime(r.client.Features()),
		MaxHold:  r.maxHold.d,
		Signals:  r.signals,
		OnEnding: func(why error) { r.teller.ending(hold.Name(), why) },
	})
}

// giveBack releases the lock and closes the client. It waits for the store as long as
// the store would keep the lock, or until it is interrupted. It reports a loss.
func (r *running) giveBack(ctx context.Context, hold *holdgate.Hold) (lost error) {
	ctx, cancel := context.WithTimeout(ctx, r.lifetime())
	defer cancel()
	ctx, stop := interruptible(ctx, r.signals)
	lost, unconfirmed := r.client.giveBack(ctx, hold)
	_ = stop() // the command has ended with its own code
	if unconfirmed != nil {
		r.teller.say(message{Event: "notice", Message: r.unconfirmed(unconfirmed)})
	}
	return lost
}
