package drivertest_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// TestSingle is the suite on a driver of the other layout, which has nothing that is
// optional: what it cannot do, it must refuse.
func TestSingle(t *testing.T) {
	t.Parallel()
	h := memory(memdriver.Options{})
	open := h.Open
	h.Open = func(t testing.TB) func(testing.TB) driver.Driver {
		connect := open(t)
		return func(t testing.TB) driver.Driver { return singleKeys{Driver: connect(t)} }
	}
	drivertest.Run(t, h)
}

// singleKeys keeps one key for each lock, on a driver that could do more.
type singleKeys struct{ driver.Driver }

func (d singleKeys) Unwrap() driver.Driver { return d.Driver }

func (d singleKeys) Features() driver.Features {
	f := d.Driver.Features()
	f.Layout = driver.LayoutSingle
	f.Tokens, f.Fair, f.Shared, f.KV, f.TryAll, f.Attach = false, false, false, false, false, false
	return f
}

func (d singleKeys) Open(ctx context.Context, o driver.SessionOptions) (driver.Session, error) {
	ses, err := d.Driver.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	return singleSession{Session: ses, d: d}, nil
}

func (d singleKeys) Line(ctx context.Context, name string) (driver.Line, error) {
	l, err := d.Driver.Line(ctx, name)
	for i := range l.Places {
		l.Places[i].Order = 0
	}
	return l, err
}

func (d singleKeys) Watch(context.Context, driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) { yield(driver.Snapshot{}, driver.ErrUnsupported) }
}

func (d singleKeys) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if e.Force {
		return d.Driver.Evict(ctx, line, placeID, e)
	}
	if err := e.Check(); err != nil {
		return err
	}
	l, err := d.Driver.Line(ctx, line)
	switch {
	case err != nil:
		return err
	case l.Find(placeID) < 0:
		return driver.ErrGone
	}
	return driver.ErrUnsupported
}

type singleSession struct {
	driver.Session
	d singleKeys
}

// Enter waits for the key by trying again when it looks free.
func (s singleSession) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	waits := !c.Try
	for c.Try = true; ; {
		if c.Check() == nil && (c.Capacity != 1 || c.Units != 1) {
			return driver.Place{}, driver.ErrUnsupported
		}
		p, err := s.Session.Enter(ctx, c)
		if !waits || !errors.Is(err, driver.ErrBusy) {
			p.Order = 0
			return p, err
		}
		if err := s.awaitFree(ctx, c.Line); err != nil {
			return driver.Place{}, err
		}
	}
}

// awaitFree returns when the key looks free, or after a while, since the session may
// have ended meanwhile.
func (s singleSession) awaitFree(ctx context.Context, line string) error {
	slice, stop := context.WithTimeout(ctx, 50*time.Millisecond)
	defer stop()
	for snapshot, err := range s.d.Driver.Watch(slice, driver.Query{Name: line}) {
		switch {
		case err != nil && (ctx.Err() != nil || slice.Err() == nil):
			return err
		case err != nil, len(snapshot.Lines) == 0, len(snapshot.Lines[0].Places) == 0:
			return nil
		}
	}
	return nil
}

func (s singleSession) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	p, err := s.Session.Wait(ctx, p)
	p.Order = 0
	return p, err
}

func (s singleSession) Present(ctx context.Context) ([]driver.Place, error) {
	places, err := s.Session.Present(ctx)
	for i := range places {
		places[i].Order = 0
	}
	return places, err
}

func (s singleSession) Update(context.Context, driver.Place) (driver.Place, error) {
	return driver.Place{}, driver.ErrUnsupported
}

// Swap is Leave and then Enter.
func (s singleSession) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := c.Check(); err != nil {
		return driver.Place{}, err
	}
	if c.Try || c.Line != p.Line {
		return driver.Place{}, fmt.Errorf("%w: a swap waits, and stays in its line", driver.ErrInvalid)
	}
	switch err := s.Leave(ctx, p.Line, p.ID); {
	case err == nil:
		return s.Enter(ctx, c)
	case !errors.Is(err, driver.ErrGone):
		return driver.Place{}, err
	}
	if after, err := s.Wait(ctx, driver.Place{Line: c.Line, ID: c.ID}); err == nil {
		return after, nil // an earlier swap succeeded
	}
	return driver.Place{}, driver.ErrGone
}
