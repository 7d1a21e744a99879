package broken

import (
	"context"
	"errors"
	"iter"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// handle is a handle with a fault.
type handle struct {
	driver.Driver
	do     overrides
	closed chan struct{}

	mu         sync.Mutex
	background sync.WaitGroup // grows only while closed is open
}

// Unwrap returns the handle below.
func (d *handle) Unwrap() driver.Driver { return d.Driver }

// Features are those of the handle below.
func (d *handle) Features() driver.Features { return d.do.features(d.Driver.Features()) }

func (d *handle) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	ses, err := d.do.open(ctx, d.Driver, o)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return &session{Session: ses, d: d}, nil
}

func (d *handle) Attach(ctx context.Context, id string) (driver.Session, error) {
	ses, err := d.do.attach(ctx, d.Driver, id)
	if err != nil {
		return nil, d.fail(ctx, err)
	}
	return &session{Session: ses, d: d}, nil
}

func (d *handle) Line(ctx context.Context, name string) (driver.Line, error) {
	l, err := d.do.line(ctx, d.Driver, d.do.name(name))
	if err != nil {
		return l, d.fail(ctx, err)
	}
	l.Name = name
	for i := range l.Places {
		l.Places[i] = d.do.view(l.Places[i])
		l.Places[i].Line = name
	}
	return l, nil
}

func (d *handle) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	if !q.Prefix {
		q.Name = d.do.name(q.Name)
	}
	return func(yield func(driver.Snapshot, error) bool) {
		for s, err := range d.do.watch(ctx, d.Driver, q) {
			for _, l := range s.Lines {
				for i := range l.Places {
					l.Places[i] = d.do.view(l.Places[i])
				}
			}
			if !yield(s, d.fail(ctx, err)) {
				return
			}
		}
	}
}

func (d *handle) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	return d.fail(ctx, d.do.evict(ctx, d.Driver, d.do.name(line), placeID, e))
}

func (d *handle) Close() error {
	d.shut()
	err := d.do.close(d)
	d.background.Wait()
	return err
}

func (d *handle) shut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.closed:
	default:
		close(d.closed)
	}
}

// later does something in the background after a while, unless the handle is closed
// before. Close waits for it.
func (d *handle) later(wait time.Duration, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	select {
	case <-d.closed:
		return
	default:
	}
	d.background.Go(func() {
		timer := time.NewTimer(wait)
		defer timer.Stop()
		select {
		case <-timer.C:
			do()
		case <-d.closed:
		}
	})
}

func (d *handle) fail(ctx context.Context, err error) error {
	if busy, ok := errors.AsType[*driver.BusyError](err); ok {
		shown := *busy
		shown.Head = d.do.view(shown.Head)
		err = &shown
	}
	if err == nil {
		return nil
	}
	return d.do.fail(ctx, err)
}

// deaf is a call that nothing wakes any more: only its own end is noticed.
func (d *handle) deaf(ctx context.Context) (driver.Place, error) {
	select {
	case <-ctx.Done():
		return driver.Place{}, context.Cause(ctx)
	case <-d.closed:
		return driver.Place{}, driver.ErrClosed
	}
}

// clocked is a handle that brings the clock of the one below.
type clocked struct {
	*handle
	clock driver.Clock
}

func (c clocked) Now() time.Duration { return c.do.now(c.clock) }

func (c clocked) AfterFunc(d time.Duration, f func()) (stop func() bool) {
	return c.do.after(c.clock, d, f)
}
