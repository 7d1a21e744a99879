package demo

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"time"

	"github.com/holdgate/holdgate"
)

// Play is the piece, and what it needs.
type Play struct {
	// Lock is the name that all want; Client sees who stands in line.
	Lock   string
	Client *holdgate.Client
	// Worker returns the command that runs Work under this name.
	Worker func(name string) *exec.Cmd
	// Show is told what happens. Pause gives people the time to read it.
	Show  func(Event)
	Pause func(context.Context)
}

// cast is who plays, in the order of their entrance.
func cast() []string { return []string{"ann", "bob", "eve"} }

// play is a performance.
type play struct {
	Play
	begun    time.Time
	resource register
	workers  []*process
}

// Run performs it. When it returns, no worker is left.
func (p Play) Run(ctx context.Context) error {
	s := &play{Play: p, begun: time.Now()}
	defer func() {
		for _, w := range s.workers {
			w.end(ctx)
		}
	}()
	if err := s.enter(ctx); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return errors.Join(context.Cause(ctx), s.perform(ctx))
}

// enter starts the workers: the first gets the lock, the others stand in line in order.
func (s *play) enter(ctx context.Context) error {
	for i, name := range cast() {
		w, err := start(name, s.Worker(name))
		if err != nil {
			return err
		}
		s.workers = append(s.workers, w)
		if err = w.tell(doLock); err != nil {
			return err
		}
		if i == 0 {
			err = s.held(w, time.Time{})
		} else if err = s.inLine(ctx, i+1); err == nil {
			s.show(w, Event{Kind: Waits, Ahead: i})
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// inLine returns when so many stand in the line.
func (s *play) inLine(ctx context.Context, places int) error {
	for snapshot, err := range s.Client.Watch(ctx, holdgate.Query{Name: s.Lock}) {
		if err != nil {
			return err
		}
		for _, line := range snapshot.Lines {
			if len(line.Places) >= places {
				return nil
			}
		}
	}
	return fmt.Errorf("nobody joined the line of %q", s.Lock)
}

// perform plays from the moment when all stand in line.
func (s *play) perform(ctx context.Context) error {
	first, second, third := s.workers[0], s.workers[1], s.workers[2]
	if err := s.release(ctx, first, second); err != nil {
		return err
	}
	late, err := s.kill(ctx, second, third)
	if err != nil {
		return err
	}
	if err = s.write(ctx, third); err != nil {
		return err
	}
	s.Pause(ctx)
	s.arrive(second, late)
	s.Pause(ctx)
	s.show(third, Event{Kind: Releases})
	_, err = third.do(doRelease)
	return err
}

// release is a holder that does its work and releases, for the next.
func (s *play) release(ctx context.Context, holder, next *process) error {
	if err := s.write(ctx, holder); err != nil {
		return err
	}
	s.Pause(ctx)
	s.show(holder, Event{Kind: Releases})
	told := time.Now()
	if _, err := holder.do(doRelease); err != nil {
		return err
	}
	return s.held(next, told)
}

// kill is a holder that does its work and is killed, while another write of it is on its way.
func (s *play) kill(ctx context.Context, holder, next *process) (late deed, err error) {
	if err = s.write(ctx, holder); err != nil {
		return late, err
	}
	s.Pause(ctx)
	if late, err = holder.do(doWrite); err != nil {
		return late, err
	}
	s.show(holder, Event{Kind: Delayed, Token: late.Token, Value: late.Value})
	s.Pause(ctx)
	s.show(holder, Event{Kind: Killed})
	killed := time.Now()
	holder.kill()
	return late, s.held(next, killed)
}

// held waits for a worker to have the lock, and tells how long that took since then, if
// somebody had it before.
func (s *play) held(w *process, then time.Time) error {
	d, err := w.done()
	if err != nil {
		return err
	}
	e := Event{Kind: Holds, Token: d.Token}
	if !then.IsZero() {
		e.After = since(then)
	}
	s.show(w, e)
	return nil
}

// write lets a worker write to the resource, after a pause.
func (s *play) write(ctx context.Context, w *process) error {
	s.Pause(ctx)
	d, err := w.do(doWrite)
	if err == nil {
		s.arrive(w, d)
	}
	return err
}

// arrive is a write that reaches the resource.
func (s *play) arrive(w *process, d deed) {
	e := Event{Kind: Refused, Token: d.Token, Value: d.Value}
	if s.resource.write(d.Token, d.Value) {
		e.Kind = Accepted
	}
	e.Seen = s.resource.seen
	s.show(w, e)
}

func (s *play) show(w *process, e Event) {
	e.At, e.Worker, e.PID = since(s.begun), w.name, w.cmd.Process.Pid
	s.Show(e)
}
