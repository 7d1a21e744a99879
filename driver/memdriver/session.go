package memdriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// session is a session as its client has it.
type session struct {
	d *Driver
	r *record // only its constant fields are read without the store's lock
}

var (
	_ driver.Session  = (*session)(nil)
	_ driver.AllTrier = (*session)(nil)
	_ driver.Nudger   = (*session)(nil)
)

func (s *session) ID() string         { return s.r.id }
func (s *session) TTL() time.Duration { return s.r.ttl }

// Nudges is nil unless the handle was made with Options.Nudge.
func (s *session) Nudges() <-chan struct{} { return s.r.nudges }

func (s *session) call(op Op, line, placeID string) Call {
	return Call{Op: op, Line: line, PlaceID: placeID, Session: s.r.id}
}

func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	return call(ctx, s.d, s.call(OpRenew, "", ""), func(st *state) ([]driver.Eviction, error) {
		return st.renew(s.r)
	})
}

func (s *session) Present(ctx context.Context) ([]driver.Place, error) {
	return call(ctx, s.d, s.call(OpPresent, "", ""), func(*state) ([]driver.Place, error) {
		return s.r.present()
	})
}

func (s *session) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := c.Check(); err != nil {
		return driver.Place{}, err
	}
	c.Data = bytes.Clone(c.Data)
	if s.d.direct(ctx) {
		defer s.d.store.end()
		return s.d.store.begin().enter(s.r, &c)
	}
	return s.enter(ctx, c)
}

// enter is apart from Enter so that what its step captures costs the direct way no
// allocation.
func (s *session) enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	return call(ctx, s.d, s.call(OpEnter, c.Line, c.ID), func(st *state) (driver.Place, error) {
		return st.enter(s.r, &c)
	}, spot{c.Line, c.ID})
}

func (s *session) TryAll(ctx context.Context, claims []driver.Claim) ([]driver.Place, error) {
	if err := checkAll(claims); err != nil {
		return nil, err
	}
	makes := make([]spot, len(claims))
	claims = slices.Clone(claims) // a delayed step outlives the call
	for i := range claims {
		claims[i].Data = bytes.Clone(claims[i].Data)
		makes[i] = spot{claims[i].Line, claims[i].ID}
	}
	c := s.call(OpTryAll, claims[0].Line, claims[0].ID)
	return call(ctx, s.d, c, func(st *state) ([]driver.Place, error) {
		return st.tryAll(s.r, claims)
	}, makes...)
}

func checkAll(claims []driver.Claim) error {
	if len(claims) == 0 {
		return fmt.Errorf("%w: no claims", driver.ErrInvalid)
	}
	lines := make(map[string]bool, len(claims))
	for _, c := range claims {
		if err := c.Check(); err != nil {
			return err
		}
		if lines[c.Line] {
			return fmt.Errorf("%w: two claims for line %q", driver.ErrInvalid, c.Line)
		}
		lines[c.Line] = true
	}
	return nil
}

func (s *session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID), driver.CheckData(p.Data)); err != nil {
		return driver.Place{}, err
	}
	p.Data = bytes.Clone(p.Data)
	return call(ctx, s.d, s.call(OpUpdate, p.Line, p.ID), func(st *state) (driver.Place, error) {
		return st.update(s.r, &p)
	})
}

func (s *session) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := c.CheckSwap(p); err != nil {
		return driver.Place{}, err
	}
	c.Data = bytes.Clone(c.Data)
	return call(ctx, s.d, s.call(OpSwap, c.Line, c.ID), func(st *state) (driver.Place, error) {
		return st.swap(s.r, p.ID, &c)
	}, spot{c.Line, c.ID})
}

func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := driver.CheckName(line); err != nil {
		return err
	}
	if err := driver.CheckID(placeID); err != nil {
		return err
	}
	if s.d.direct(ctx) {
		defer s.d.store.end()
		return s.d.store.begin().leave(s.r, line, placeID)
	}
	return s.leave(ctx, line, placeID)
}

func (s *session) leave(ctx context.Context, line, placeID string) error {
	_, err := call(ctx, s.d, s.call(OpLeave, line, placeID), func(st *state) (struct{}, error) {
		return struct{}{}, st.leave(s.r, line, placeID)
	})
	return err
}

func (s *session) Close(ctx context.Context) error {
	_, err := call(ctx, s.d, s.call(OpClose, "", ""), func(st *state) (struct{}, error) {
		st.end(s.r)
		return struct{}{}, nil
	})
	return err
}
