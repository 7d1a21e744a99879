package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/supervise"
	"github.com/holdgate/holdgate/membership"
)

// presentFlags are those of the commands that let others see that something runs.
type presentFlags struct {
	sessionFlags
	id    string
	grace duration
}

const (
	// defaultGrace is how long a command that is to end has between TERM and KILL. No lock is
	// about to go to another meanwhile.
	defaultGrace = 10 * time.Second
	maxGrace     = time.Hour
)

// idVariable is in the environment of a command that others see, and has the ID that they see.
const idVariable = "HOLDGATE_ID"

func (f *presentFlags) register(cmd *cobra.Command, id string) {
	f.storeFlag.register(cmd)
	cmd.Annotations = map[string]string{hasEvents: ""}
	flags := cmd.Flags()
	flags.Var(text{&f.id, "TEXT"}, "id", id)
	flags.Var(&f.ttl, "ttl", "how long others still see it after a crash, or when the store is out of its reach (default 15s); in files it goes with its process")
	flags.Var(text{&f.owner, "TEXT"}, "owner", "what others see as its owner (default user@host:pid)")
	flags.Var(&f.grace, "grace", "how long the command has between TERM and KILL, when it is not to be there any more (default 10s)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "say nothing while all goes well")
	flags.BoolVar(&f.json, "json", false, "messages as JSON, one document a line")
}

func (f *presentFlags) check(name string) error {
	if err := f.sessionFlags.check(name); err != nil {
		return err
	}
	return f.grace.between("--grace", 0, maxGrace)
}

// checkID refuses what no member is named. Others see it, as text.
func (f *presentFlags) checkID() error {
	if len(f.id) > membership.MaxID || !utf8.ValidString(f.id) {
		return usage("--id is UTF-8 of at most %d bytes, not %q", membership.MaxID, f.id)
	}
	return nil
}

func (f *presentFlags) graceTime() time.Duration {
	if f.grace.set {
		return f.grace.d
	}
	return defaultGrace
}

// standing is what the others see: a membership, a registration. It comes back after a loss
// by itself, and ends for good only when somebody asks for it, or replaces it.
type standing interface {
	Done() <-chan struct{}
	Err() error
}

// lasting is a standing as a command sees it that is supervised: believed until it has ended.
type lasting struct{ standing }

func (lasting) TrustedUntil() time.Time { return time.Now().Add(24 * time.Hour) }

// present is one call of a command that lets others see that something runs.
type present struct {
	*presentFlags
	name    string
	store   store.Store
	teller  *teller
	signals chan os.Signal
	client  *connection

	enter func(context.Context, *holdgate.Client) (standing, error)
	leave func(context.Context) error // after enter
}

func (f *presentFlags) present(name string) *present {
	return &present{presentFlags: f, name: name, teller: newTeller(&f.sessionFlags), signals: make(chan os.Signal, 16)}
}

// run is the whole of it: what is there is there before the command begins, and until it and its
// group are gone.
func (p *present) run(ctx context.Context, command []string) error {
	path, err := child.Find(command[0]) // before others see what will not run
	if err != nil {
		return err
	}
	if p.store, err = p.parse(); err != nil {
		return err
	}
	child.Catch(p.signals, child.Interrupts()...)
	if err = p.connect(ctx); err != nil {
		return err
	}
	s, err := p.begin(ctx)
	if err != nil {
		return errors.Join(err, p.client.Close(ctx))
	}
	return p.under(ctx, s, child.Spec{Path: path, Args: command, Env: p.environ()})
}

func (p *present) connect(ctx context.Context) error {
	o := &holdgate.Options{TTL: p.lifetime(), Owner: p.ownerText(os.Getpid())}
	client, err := connectOrStop(ctx, p.signals, p.store, o, p.lifetime())
	if err != nil {
		return err
	}
	if err = p.checkStore(client.Features()); err != nil {
		return errors.Join(err, client.Close(ctx))
	}
	p.client = client
	if p.store.Default {
		p.teller.notice(fmt.Sprintf("no store is named (--store): only this user on this machine sees it, through %s", p.store))
	}
	return nil
}

// begin lets the others see it.
func (p *present) begin(ctx context.Context) (standing, error) {
	wait, stop := interruptible(ctx, p.signals)
	s, err := p.enter(wait, p.client.Client)
	if signal := stop(); signal != nil { // also when it was there at that moment: Close takes it away
		return nil, signal
	}
	if err != nil {
		return nil, err
	}
	p.teller.present(p.name, p.id)
	return s, nil
}

// environ is the environment of the command. What a lock around it has put there stays.
func (p *present) environ() []string {
	env := slices.DeleteFunc(p.store.Environ(os.Environ()), func(v string) bool { return strings.HasPrefix(v, idVariable+"=") })
	return append(env, idVariable+"="+p.id)
}

// under runs the command while the others see it.
func (p *present) under(ctx context.Context, s standing, spec child.Spec) error {
	begun := time.Now()
	code, why, err := attend(lasting{s}, spec, supervise.Options{
		Grace:    p.graceTime(),
		Harmless: true,
		Signals:  p.signals,
		OnEnding: func(why error) { p.teller.ending(p.name, goneError{why}) },
	})
	p.goAway(ctx)
	p.teller.flush()
	switch {
	case err != nil:
		return err
	case why != nil:
		p.teller.ended(p.name, goneError{why})
		return silently(exitLost)
	}
	p.teller.released(p.name, time.Since(begun), code)
	return silently(code)
}

// goneError is why it is not there any more, in the words of who took no lock.
type goneError struct{ error }

func (e goneError) Error() string {
	var lost *holdgate.LostError
	if errors.As(e.error, &lost) && lost.Reason == holdgate.LostEvicted {
		return fmt.Sprintf("asked to go by %q: %q", lost.By, lost.Message)
	}
	return strings.Replace(e.error.Error(), ": "+holdgate.ErrLost.Error(), "", 1)
}

func (e goneError) Unwrap() error { return e.error }

// goAway takes it away, and closes the client. It waits for the store as long as that would keep it,
// or until it is interrupted.
func (p *present) goAway(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, p.lifetime())
	defer cancel()
	ctx, stop := interruptible(ctx, p.signals)
	left := p.leave(ctx)
	if errors.Is(left, holdgate.ErrLost) || errors.Is(left, holdgate.ErrNotHeld) {
		left = nil // it was gone already
	}
	left = errors.Join(left, p.client.Close(ctx))
	_ = stop() // the command has ended with its own code
	if left != nil {
		p.teller.say(message{Event: "notice", Message: fmt.Sprintf(
			"the store has not confirmed that %q is gone, and removes it within %v: %s", p.id, p.lifetime(), oneLine(left.Error()))})
	}
}
