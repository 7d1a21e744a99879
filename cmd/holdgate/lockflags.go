package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
)

// lockFlags are those of the commands that take a lock.
type lockFlags struct {
	sessionFlags
	wait     duration
	noWait   bool
	busyCode int
	nested
}

func (f *lockFlags) register(cmd *cobra.Command) {
	f.storeFlag.register(cmd)
	cmd.Annotations = map[string]string{hasEvents: ""}
	flags := cmd.Flags()
	flags.Var(&f.wait, "wait", "wait in line for this long at most (default: for as long as it takes)")
	flags.BoolVarP(&f.noWait, "no-wait", "n", false, "do not wait: give up at once when it is busy")
	f.busyCode = exitBusy
	flags.VarP(number{&f.busyCode, "CODE", "an exit code is 0 to 255"}, "busy-code", "E", "exit with this code when it was not acquired in time")
	flags.Var(&f.ttl, "ttl", "how long others wait after a crash, or when the store is out of reach (default 15s); in files a lock ends with its process")
	flags.Var(text{&f.owner, "TEXT"}, "owner", "what others see as the holder (default user@host:pid)")
	flags.Var(text{&f.reason, "TEXT"}, "reason", "what others see that it is held for")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "say nothing while all goes well, nor that it is busy")
	flags.BoolVar(&f.json, "json", false, "messages as JSON, one document a line")
}

// check refuses what can be refused without the store.
func (f *lockFlags) check(name string) error {
	if err := f.sessionFlags.check(name); err != nil {
		return err
	}
	if f.wait.set && f.noWait {
		return usage("--wait and --no-wait exclude each other")
	}
	if f.wait.set && f.wait.d < 0 {
		return usage("--wait is 0s or more, not %v", f.wait.d)
	}
	if f.busyCode < 0 || f.busyCode > 255 {
		return usage("-E is 0 to 255, not %d", f.busyCode)
	}
	return nil
}

// storeTime is how long a store is waited for that does not answer: as long as the library
// waits once there is a client.
func (f *lockFlags) storeTime() time.Duration {
	switch {
	case f.tries():
		return f.lifetime() / 4
	case f.wait.set:
		return min(f.wait.d, f.lifetime())
	}
	return f.lifetime()
}

// tries reports whether it is given up at once when it is busy.
func (f *lockFlags) tries() bool { return f.noWait || f.wait.set && f.wait.d == 0 }

// options are those of the client, for a lock that the process with this number wants.
func (f *lockFlags) options(pid int, onWait func(holdgate.Waiting)) *holdgate.Options {
	if f.quiet {
		onWait = nil
	}
	return &holdgate.Options{TTL: f.lifetime(), Owner: f.ownerText(pid), Reason: f.reason, OnWait: f.nested.onWait(onWait), Under: outer()}
}

// lock takes the lock as the flags say.
func (f *lockFlags) lock(ctx context.Context, t taker) (*holdgate.Hold, error) {
	if f.tries() {
		return t.try(ctx)
	}
	if f.wait.set {
		late := fmt.Errorf("%w: waited %v", errTimedOut, f.wait.d)
		var stop context.CancelFunc
		ctx, stop = context.WithTimeoutCause(ctx, f.wait.d, late)
		defer stop()
	}
	return f.nested.lock(ctx, t)
}

// unconfirmed says what became of a lock whose release the store has not confirmed.
func (f *lockFlags) unconfirmed(err error) string {
	return fmt.Sprintf("the release was not confirmed, the store ends the lock within %v: %s", f.lifetime(), oneLine(err.Error()))
}

// refused returns how the program ends when the lock was not acquired: busy or too
// late is what -E is for.
func (f *lockFlags) refused(err error) error {
	if exitCode(err) != exitBusy {
		return err
	}
	if f.quiet {
		return silently(f.busyCode)
	}
	return &exitError{code: f.busyCode, err: err}
}

// explain says who has the lock, and adds whom it was waited for when the time is over, or that it was
// the store.
func explain(ctx context.Context, c *connection, name string, err error) error {
	if busy, ok := errors.AsType[*holdgate.BusyError](err); ok {
		return &busyError{show.Busy(busy, time.Now()), err}
	}
	if name == "" || !errors.Is(err, errTimedOut) || errors.Is(err, holdgate.ErrUnavailable) {
		return err
	}
	ctx, stop := context.WithTimeout(ctx, explainTime)
	defer stop()
	line, failed := c.Line(ctx, name)
	switch {
	case failed != nil && errors.Is(err, driver.ErrUnknownOutcome):
		return fmt.Errorf("%w: %w", errNoAnswer, err)
	case failed != nil, len(line.Places) == 0:
		return err
	}
	return fmt.Errorf("%w: still %s", err, show.HeldBy(line.Places[0], time.Now()))
}

// busyError is a *holdgate.BusyError with all that is known of the holder.
type busyError struct {
	text string
	err  error
}

func (e *busyError) Error() string { return e.text }
func (e *busyError) Unwrap() error { return e.err }

// explainTime bounds how long a message may take.
const explainTime = time.Second
