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
		if i == 0 {
			if err = s.hold(w, w.tell(doLock), time.Time{}); err != nil {
				return err
			}
			continue
		}
		if err = w.tell(doLock); err != nil {
			return err
		}
		if err = s.inLine(ctx, i+1); err != nil {
			return err
		}
		s.show(w, Event{Kind: Waits, Ahead: i})
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
	ann, bob, eve := s.workers[0], s.workers[1], s.workers[2]
	s.Pause(ctx)
	if err := s.write(ann); err != nil {
		return err
	}
	s.Pause(ctx)
	s.show(ann, Event{Kind: Releases})
	told := time.Now()
	if _, err := ann.do(doRelease); err != nil {
		return err
	}
	if err := s.hold(bob, nil, told); err != nil {
		return err
	}
	s.Pause(ctx)
	if err := s.write(bob); err != nil {
		return err
	}
	s.Pause(ctx)
	late, err := bob.do(doWrite)
	if err != nil {
		return err
	}
	s.show(bob, Event{Kind: Delayed, Token: late.Token, Value: late.Value})
	s.Pause(ctx)
	told = time.Now()
	s.show(bob, Event{Kind: Killed})
	bob.kill()
	if err = s.hold(eve, nil, told); err != nil {
		return err
	}
	s.Pause(ctx)
	if err = s.write(eve); err != nil {
		return err
	}
	s.Pause(ctx)
	s.arrive(bob, late)
	s.Pause(ctx)
	s.show(eve, Event{Kind: Releases})
	_, err = eve.do(doRelease)
	return err
}

// hold waits for a worker to have the lock.
func (s *play) hold(w *process, told error, since time.Time) error {
	if told != nil {
		return told
	}
	d, err := w.done()
	if err != nil {
		return err
	}
	e := Event{Kind: Holds, Token: d.Token}
	if !since.IsZero() {
		e.After = time.Since(since).Round(10 * time.Microsecond).Seconds()
	}
	s.show(w, e)
	return nil
}

// write lets a worker write to the resource.
func (s *play) write(w *process) error {
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
