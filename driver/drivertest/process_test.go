package drivertest_test

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// TestProcess is the suite on a driver whose sessions live as long as their process,
// and not by time.
func TestProcess(t *testing.T) {
	t.Parallel()
	drivertest.Run(t, processes(false))
}

// TestProcessInherited runs in real time: a pipe that is read does not let fake time
// go on.
func TestProcessInherited(t *testing.T) {
	t.Parallel()
	for _, failure := range drivertest.Failures(t, processes(true),
		"inherit/keeps-the-session", "inherit/files-are-the-caller's", "inherit/close-frees-all-the-same") {
		t.Error(failure)
	}
}

// processes is a harness for it.
func processes(inherit bool) drivertest.Harness {
	h := memory(memdriver.Options{})
	h.Synctest = !inherit
	open := h.Open
	h.Open = func(t testing.TB) func(testing.TB) driver.Driver {
		connect := open(t)
		return func(t testing.TB) driver.Driver {
			return &process{Driver: connect(t), inherit: inherit, sessions: make(map[string][]*os.File)}
		}
	}
	return h
}

// process is a handle that ends its sessions with it, unless somebody has inherited
// them.
type process struct {
	driver.Driver
	inherit bool

	mu sync.Mutex
	// sessions have the pipes that others may have inherited the other ends of.
	sessions map[string][]*os.File
}

func (d *process) Unwrap() driver.Driver { return d.Driver }

func (d *process) Features() driver.Features {
	f := d.Driver.Features()
	f.KV, f.TryAll, f.Attach, f.Inherit = false, false, false, d.inherit
	return f
}

func (d *process) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	if o.TTL > 0 {
		o.TTL += 1000 * time.Hour
	}
	ses, err := d.Driver.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sessions[ses.ID()] = nil
	if !d.inherit {
		return processSession{ses}, nil
	}
	return inheritable{processSession{ses}, d}, nil
}

func (d *process) Line(ctx context.Context, name string) (driver.Line, error) {
	l, err := d.Driver.Line(ctx, name)
	for i := range l.Places {
		l.Places[i].TTL = 0
	}
	return l, err
}

func (d *process) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.Driver.Close(); err != nil {
		return err
	}
	store := handleOf(d).Store()
	for id, pipes := range d.sessions {
		if len(pipes) == 0 {
			store.ExpireSession(id)
			continue
		}
		// Ends when the last who has inherited the other ends has closed them.
		go func() {
			for _, pipe := range pipes {
				_, _ = io.Copy(io.Discard, pipe)
				_ = pipe.Close()
			}
			store.ExpireSession(id)
		}()
	}
	clear(d.sessions)
	return nil
}

// processSession does not say that it has a TTL after all.
type processSession struct{ driver.Session }

func (processSession) TTL() time.Duration { return 0 }

func (s processSession) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	p, err := s.Session.Enter(ctx, c)
	p.TTL = 0
	if busy, ok := errors.AsType[*driver.BusyError](err); ok {
		busy.Head.TTL = 0
	}
	return p, err
}

func (s processSession) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	p, err := s.Session.Update(ctx, p)
	p.TTL = 0
	return p, err
}

func (s processSession) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	p, err := s.Session.Swap(ctx, p, c)
	p.TTL = 0
	return p, err
}

// inheritable is a session that can be passed on.
type inheritable struct {
	processSession
	d *process
}

func (s inheritable) Inherit() ([]*os.File, error) {
	read, write, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	s.d.mu.Lock()
	defer s.d.mu.Unlock()
	s.d.sessions[s.ID()] = append(s.d.sessions[s.ID()], read)
	return []*os.File{write}, nil
}
