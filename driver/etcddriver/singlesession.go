package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// singleSession is a session in the layout "single": a lock is one key on the session's
// lease, put where there is none. Much software takes its locks so. What is no matter of
// order is as in the other layout; the key's value is the same as that of a place there.
type singleSession struct{ *session }

// Enter waits for the key to be free, and makes it.
func (s singleSession) Enter(ctx context.Context, dc driver.Claim) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	p, err := s.enter(ctx, dc)
	if err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", dc.Line, err)
	}
	return p, nil
}

func (s singleSession) enter(ctx context.Context, dc driver.Claim) (driver.Place, error) {
	if err := cmp.Or(dc.Check(), checkSingle(dc)); err != nil {
		return driver.Place{}, err
	}
	c, err := s.claim(ctx, dc)
	if err != nil {
		return driver.Place{}, err
	}
	p, err := c.takeKey(ctx)
	return c.settle(ctx, p, err)
}

func checkSingle(c driver.Claim) error {
	if c.Capacity != 1 || c.Units != 1 {
		return fmt.Errorf("%w: one key is one lock, and has no place for %d of %d", driver.ErrUnsupported, c.Units, c.Capacity)
	}
	return nil
}

// Wait tells whether the place still stands: Enter has waited.
func (s singleSession) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	now, stands, err := s.standing(ctx, p.Line, p.ID)
	switch {
	case err != nil:
		return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
	case !stands:
		return driver.Place{}, gone(p.Line, p.ID)
	}
	return now, nil
}

// standing reads a place of this session, up to date.
func (s singleSession) standing(ctx context.Context, line, id string) (driver.Place, bool, error) {
	l, err := s.lineup(ctx, line)
	if err != nil {
		return driver.Place{}, false, err
	}
	i := l.own(id, s.lease)
	if i < 0 {
		return driver.Place{}, false, nil
	}
	return l.place(i), true, nil
}

// Update is refused: other software writes such a key once, and compares it.
func (s singleSession) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	return driver.Place{}, fmt.Errorf("%w: place %s is one key, which is written once", driver.ErrUnsupported, p.ID)
}

// Swap is Leave, which lets others in, and then Enter.
func (s singleSession) Swap(ctx context.Context, p driver.Place, dc driver.Claim) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	if err := cmp.Or(dc.CheckSwap(p), checkSingle(dc), s.d.layout.check(dc.Line)); err != nil {
		return driver.Place{}, err
	}
	now, err := s.swap(ctx, p, dc)
	if err != nil {
		return driver.Place{}, fmt.Errorf("swap in %q: %w", dc.Line, err)
	}
	return now, nil
}

func (s singleSession) swap(ctx context.Context, p driver.Place, dc driver.Claim) (driver.Place, error) {
	now, stands, err := s.standing(ctx, dc.Line, dc.ID)
	if stands || err != nil {
		return now, err // an earlier attempt succeeded
	}
	switch removed, err := s.leave(ctx, p.Line, p.ID); {
	case err != nil:
		return driver.Place{}, err
	case !removed:
		return driver.Place{}, gone(p.Line, p.ID)
	}
	return s.enter(ctx, dc)
}

// Leave removes the key, if it is this session's for this ID.
func (s singleSession) Leave(ctx context.Context, line, placeID string) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	if err := cmp.Or(s.d.layout.check(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	removed, err := s.leave(ctx, line, placeID)
	switch {
	case err != nil:
		return fmt.Errorf("leave %q: %w", line, err)
	case !removed:
		return gone(line, placeID)
	}
	return nil
}

// leave is one transaction where the key's revision is known, which nobody else's has: what
// is carried out late harms nobody.
func (s singleSession) leave(ctx context.Context, line, id string) (removed bool, err error) {
	at, _, known := s.spots.find(line, id)
	if known && at.order != 0 && !at.doubtful {
		removed, err = s.removeMade(ctx, s.d.layout.line(line), id, at.order)
	} else {
		removed, err = s.seekAndRemove(ctx, line, id, known)
	}
	if err == nil {
		s.spots.free(line, id)
	}
	return removed, err
}

// TryAll is refused: only places of queues can be joined together.
func (s singleSession) TryAll(ctx context.Context, _ []driver.Claim) ([]driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%w: a lock that is one key is tried by itself", driver.ErrUnsupported)
}
