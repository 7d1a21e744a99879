package etcddriver

import (
	"cmp"
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// Wait returns when the place is granted. In a short line, and in one that is shared, it
// follows the whole line; in a long line of capacity 1 only the place ahead, so that
// a hand-over wakes one process.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	if err := cmp.Or(s.d.layout.check(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	for {
		now, err := s.waitOnce(ctx, p)
		switch {
		case err == nil:
			return now, nil
		case oneOf(err, errCompacted):
			continue // what was followed had to begin anew: so does the wait
		case oneOf(err, driver.ErrGone):
			// With its session, or by itself? And no late request brings it back.
			_, err = s.leave(ctx, p.Line, p.ID)
			err = cmp.Or(err, gone(p.Line, p.ID))
		}
		return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
	}
}

func (s *session) waitOnce(ctx context.Context, p driver.Place) (driver.Place, error) {
	at, name, _ := s.spots.find(p.Line, p.ID)
	if at.ahead.key != "" {
		return s.waitTurn(ctx, p, s.d.layout.line(p.Line)+name, at.ahead)
	}
	return s.waitInView(ctx, p)
}

// waitInView follows the line in a view, which covers the place itself, so that a grant is
// taken from a moment at which it stood.
func (s *session) waitInView(ctx context.Context, p driver.Place) (driver.Place, error) {
	v, err := s.d.views.look(p.Line)
	if err != nil {
		return driver.Place{}, err
	}
	defer s.d.views.done(v)
	w := &waiter{v: v, lease: s.lease, place: p, wake: make(chan struct{}, 1)}
	v.join(w)
	defer v.part(w)
	for {
		now, decided, err := w.look()
		if decided || err != nil {
			return now, err
		}
		select {
		case <-w.wake:
		case <-ctx.Done():
			return driver.Place{}, context.Cause(ctx)
		case <-s.ctx.Done():
			return driver.Place{}, s.over()
		}
	}
}

// waiter waits for one place in a view of its line.
type waiter struct {
	v     *lineView
	lease int64
	place driver.Place
	wake  chan struct{} // has a token when there may be an answer
}

// look returns the place once it is granted, and ErrGone once it does not stand.
func (w *waiter) look() (driver.Place, bool, error) {
	w.v.mu.Lock()
	defer w.v.mu.Unlock()
	l, i, decided := w.findLocked()
	switch {
	case w.v.err != nil:
		return driver.Place{}, false, w.v.err
	case !decided:
		return driver.Place{}, false, nil
	case i < 0:
		return driver.Place{}, false, gone(w.place.Line, w.place.ID)
	}
	return l.place(i), true, nil
}

// told wakes the waiter when there is an answer, and only then: others in line come
// and go.
func (w *waiter) told(map[string]struct{}) {
	if _, _, decided := w.findLocked(); decided || w.v.err != nil {
		select {
		case w.wake <- struct{}{}:
		default:
		}
	}
}

// findLocked finds the place in the view, and reports whether its wait is over. Before the
// view has come to the place's own entry it shows nothing about it.
func (w *waiter) findLocked() (l *lineup, i int, decided bool) {
	if !w.v.ready || w.v.revision < int64(w.place.Order) {
		return nil, -1, false
	}
	l = w.v.lines.byName[w.place.Line]
	if l == nil {
		return nil, -1, true
	}
	if i = l.own(w.place.ID, w.lease); i < 0 {
		return l, -1, true
	}
	return l, i, l.granted(i)
}
