package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/keeper"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
)

// keepName is what acquire calls itself as in the background. Nobody else is to.
const keepName = "keep"

func newKeep() *cobra.Command {
	f := &acquireFlags{}
	cmd := &cobra.Command{
		Use:    keepName + " NAME",
		Short:  "Keep a lock in the background (started by acquire)",
		Hidden: true,
		Args:   takes(1, 1, "the name of a lock", theName),
		RunE: func(cmd *cobra.Command, args []string) error {
			front := &keeper.Front{In: os.Stdin, Out: os.Stdout}
			if err := f.keep(cmd.Context(), front, args[0]); err != nil {
				front.Tell(keeper.Report{Failed: &keeper.Outcome{Code: exitCode(err), Message: oneLine(err.Error())}})
				return silently(exitCode(err))
			}
			return nil
		},
	}
	f.register(cmd)
	return cmd
}

// Why a keeper gives up before it is known that it holds the lock.
var (
	errFrontGone = errors.New("nobody waits for the lock any more")
	errOwnerGone = errors.New("the process that the lock was for has ended")
)

// keep acquires the lock, tells the front, and keeps the lock until it is released, the
// owner ends, or it is terminated. An error is for the front.
func (f *acquireFlags) keep(ctx context.Context, front *keeper.Front, name string) error {
	signals := make(chan os.Signal, 4)
	child.Catch(signals, child.Interrupts()...)
	child.OutliveReaders()
	ended, err := keeper.Watch(f.forPID)
	if err != nil {
		return usage("--for-pid: %w", err)
	}
	owner := describe(f.forPID)
	front.Tell(keeper.Report{Watching: true})
	acked := front.Listen()

	// Before the lock: a lock that could not be released by its handle is of no use.
	socket, err := keeper.Listen(ctx)
	if err != nil {
		return failed("no place for a handle: %w", err)
	}
	defer socket.Close() //nolint:errcheck // the process ends with it
	k := &keeping{acquireFlags: f, front: front, owner: owner, signals: signals, ended: ended, acked: acked, socket: socket}
	if err = k.acquire(ctx, name); err != nil {
		return err
	}
	k.serve(ctx)
	return nil
}

// describe says which process has this number.
func describe(pid int) string {
	if name := keeper.Name(pid); name != "" {
		return fmt.Sprintf("%d (%s)", pid, show.Text(name))
	}
	return strconv.Itoa(pid)
}

// keeping is a keeper at work.
type keeping struct {
	*acquireFlags
	front   *keeper.Front
	owner   string // the process that the lock is kept for
	signals <-chan os.Signal
	ended   <-chan struct{} // closed when the owner has ended
	acked   <-chan bool
	socket  *keeper.Socket

	client *connection
	hold   *holdgate.Hold
}

// acquire waits for the lock, and for the front to pass the handle on.
func (k *keeping) acquire(ctx context.Context, name string) (err error) {
	s, err := k.parse()
	if err != nil {
		return err
	}
	defer func() {
		if err != nil && k.client != nil {
			err = errors.Join(err, k.client.Close(ctx))
		}
	}()
	wait, stop := k.patience(ctx)
	err = k.enter(wait, s, name)
	if gaveUp := stop(); gaveUp != nil {
		return gaveUp
	}
	if err != nil {
		return err
	}
	k.front.Tell(keeper.Report{Held: &keeper.Held{Handle: k.socket.Handle, Token: k.hold.Token()}})
	if !<-k.acked {
		return errFrontGone
	}
	_ = k.front.In.Close()
	return k.front.Out.Close()
}

// enter opens the store and takes the lock.
func (k *keeping) enter(ctx context.Context, s store.Store, name string) (err error) {
	o := k.options(k.forPID, func(w holdgate.Waiting) { k.front.Tell(keeper.Report{Waiting: &w}) })
	if k.client, err = connect(ctx, s, o, k.storeTime()); err != nil {
		return err
	}
	if err = k.checkStore(k.client.Features()); err != nil {
		return err
	}
	if k.hold, err = k.lock(ctx, mutexTaker(k.client.Mutex(name))); err != nil {
		return k.refused(explain(ctx, k.client, name, err))
	}
	return nil
}

// patience returns a context that ends when nobody needs the lock any more. stop reports
// why it did.
func (k *keeping) patience(ctx context.Context) (_ context.Context, stop func() error) {
	ctx, cancel := context.WithCancelCause(ctx)
	quit, quitted := make(chan struct{}), make(chan struct{})
	var why error
	go func() { // ended and awaited by stop
		defer close(quitted)
		select {
		case s := <-k.signals:
			why = &interrupted{s}
		case <-k.ended:
			why = errOwnerGone
		case <-k.acked: // nothing was told that could be acknowledged
			why = errFrontGone
		case <-quit:
		}
		cancel(why)
	}()
	return ctx, func() error {
		close(quit)
		<-quitted
		return why
	}
}

// serve keeps the lock until somebody releases it, or nobody can any more. One that is lost
// meanwhile is kept too: whoever releases it is to be told.
func (k *keeping) serve(ctx context.Context) {
	select {
	case r := <-k.socket.Requests():
		o := k.release(ctx)
		_ = k.socket.Close()
		r.Answer(o)
	case <-k.ended:
		k.abandon(ctx, fmt.Sprintf("the process it was kept for, %s, ended at %s; see --for-pid in holdgate acquire --help",
			k.owner, time.Now().Format(time.DateTime)))
	case s := <-k.signals:
		k.abandon(ctx, "the process that kept it was ended by "+child.Name(s))
	}
}

// abandon gives up the lock though nobody came with the handle. Who does is told why.
func (k *keeping) abandon(ctx context.Context, why string) {
	name := k.hold.Name()
	o := k.release(ctx)
	if o.Code != exitLost {
		o = keeper.Outcome{Code: exitLost, Message: fmt.Sprintf("%v: %q: %s", holdgate.ErrLost, name, why)}
	}
	_ = k.socket.LeaveWord(o) // without it the handle is merely unknown
}

func (k *keeping) release(ctx context.Context) keeper.Outcome {
	ctx, stop := context.WithTimeout(ctx, k.lifetime())
	defer stop()
	lost, unconfirmed := k.client.giveBack(ctx, k.hold)
	switch {
	case lost != nil:
		return keeper.Outcome{Code: exitLost, Message: oneLine(lost.Error())}
	case unconfirmed != nil:
		return keeper.Outcome{Code: exitUnavailable, Message: k.unconfirmed(unconfirmed)}
	}
	return keeper.Outcome{}
}
