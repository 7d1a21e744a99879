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
}

// run is the whole of it.
func (r *running) run(ctx context.Context, name string, command []string) error {
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
	hold, err := r.acquire(ctx, name)
	if hold == nil { // with --on-busy skip that is no error
		return errors.Join(err, r.client.Close(ctx))
	}
	return r.under(ctx, hold, child.Spec{Path: path, Args: command})
}

// connect opens the store.
func (r *running) connect(ctx context.Context) error {
	o := r.options(os.Getpid(), r.teller.waiting)
	wait, stop := interruptible(ctx, r.signals)
	client, err := connect(wait, r.store, o, r.storeTime())
	if signal := stop(); signal != nil {
		if err == nil {
			_ = client.Close(ctx) // nothing was asked of it
		}
		return signal
	}
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

// acquire waits for the lock. What it prints on a terminal is gone when it returns.
func (r *running) acquire(ctx context.Context, name string) (*holdgate.Hold, error) {
	wait, stop := interruptible(ctx, r.signals)
	hold, err := r.lock(wait, r.client.Mutex(name))
	signal := stop()
	r.teller.done()
	if signal != nil { // also when the lock was granted at that moment: Close gives it back
		return nil, signal
	}
	if err != nil {
		return nil, r.refused(explain(ctx, r.client, name, err))
	}
	r.teller.acquired(hold)
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

// under runs the command, which has the lock until it and its group are gone.
func (r *running) under(ctx context.Context, hold *holdgate.Hold, spec child.Spec) error {
	begun := time.Now()
	code, why, err := r.supervise(hold, spec)
	lost := r.giveBack(ctx, hold)
	r.teller.flush()
	switch {
	case err != nil:
		return err
	case why != nil:
		r.teller.ended(hold.Name(), why)
		return silently(exitLost)
	case lost != nil:
		return lost
	}
	r.teller.released(hold.Name(), time.Since(begun), code)
	return silently(code)
}

// supervise starts the command and waits for it.
func (r *running) supervise(hold *holdgate.Hold, spec child.Spec) (code int, why, err error) {
	if spec.Keep, err = hold.Inherit(); err != nil {
		return 0, nil, err
	}
	spec.Env = r.environ(hold)
	child.Catch(r.signals, child.Passed()...)
	process, err := start(hold, spec)
	for _, f := range spec.Keep {
		_ = f.Close() // the command has its own
	}
	if err != nil {
		return 0, nil, err
	}
	defer process.Close()
	child.Catch(r.signals, child.Harmless()...) // only now: it takes time, and is in no hurry
	code, why = supervise.Run(hold, process, supervise.Options{
		Grace:    r.graceTime(r.client.Features()),
		MaxHold:  r.maxHold.d,
		Signals:  r.signals,
		OnEnding: func(why error) { r.teller.ending(hold.Name(), why) },
	})
	return code, why, nil
}

// start starts the command, unless the lock was lost already: we may have been stopped since it was
// granted.
func start(hold *holdgate.Hold, spec child.Spec) (*child.Process, error) {
	if err := hold.Err(); err != nil {
		return nil, err
	}
	return child.Start(spec)
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
