package holdgate

import (
	"errors"
	"iter"
	"log/slog"
	"maps"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// reconcileSoon asks for a reconciliation. One that is asked for while another runs
// follows it.
func (s *session) reconcileSoon() {
	select {
	case s.doubt <- struct{}{}:
	default:
	}
}

// reconcile compares, whenever there is doubt, what the store has of this session
// with what this process knows, until the session ends.
func (s *session) reconcile() {
	for {
		select {
		case <-s.doubt:
			if err := s.reconcileOnce(); err != nil && !s.failed(err) && transient(err) {
				if sleep(s.ctx, s.client.clock, min(s.ttl()/16, attemptLimit)) == nil {
					s.reconcileSoon()
				}
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// reconcileOnce removes strays, and ends places that are gone (I5).
func (s *session) reconcileOnce() error {
	sent := s.known()
	ctx, stop := s.attempt()
	present, err := s.drv.Present(ctx)
	stop()
	if err != nil {
		return err
	}
	for _, at := range present {
		if _, known := sent[at.ID]; !known && !s.knows(at.ID) {
			if err = s.removeStray(at); err != nil {
				return err
			}
		}
		delete(sent, at.ID)
	}
	for p := range inOrder(sent) { // absent
		if err = s.confirm(p); err != nil {
			return err
		}
	}
	return nil
}

// known are the places that this process has at this moment.
func (s *session) known() map[string]*ownPlace {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[string]*ownPlace, len(s.places))
	for id, p := range s.places {
		known[id] = p
	}
	return known
}

// inOrder yields places by ID. Nobody cares which is the first, but a simulation has
// to take the same way again.
func inOrder(places map[string]*ownPlace) iter.Seq[*ownPlace] {
	return func(yield func(*ownPlace) bool) {
		for _, id := range slices.Sorted(maps.Keys(places)) {
			if !yield(places[id]) {
				return
			}
		}
	}
}

// knows reports whether the place is this process's now.
func (s *session) knows(id string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, known := s.places[id]
	return known
}

// removeStray leaves a place that nobody here knows: neither when the store was
// asked nor now. An Enter whose answer was lost may still make one long after its
// retry was granted and released.
func (s *session) removeStray(at driver.Place) error {
	ctx, stop := s.attempt()
	defer stop()
	switch err := s.drv.Leave(ctx, at.Line, at.ID); {
	case errors.Is(err, driver.ErrGone):
		return nil // it was on its way out
	case err != nil:
		return err
	}
	s.client.opts.Logger.LogAttrs(s.ctx, slog.LevelInfo, "stray place removed",
		slog.String("name", at.Line), slog.String("place", at.ID))
	s.client.emit(Event{Type: EventStray, Session: s.drv.ID(), Name: at.Line, PlaceID: at.ID})
	return nil
}

// confirm ends a place that was absent, if that is certain: it had been answered
// before the store was asked, nobody here left it since, and the line itself, read
// up to date, does not have it. The list alone does not prove it: it may lag.
func (s *session) confirm(p *ownPlace) error {
	if !s.stands(p) {
		return nil
	}
	ctx, stop := s.attempt()
	defer stop()
	line, err := s.client.drv.Line(ctx, p.claim.Line)
	if err != nil {
		return err
	}
	if line.Find(p.claim.ID) < 0 && s.stands(p) {
		p.removed()
	}
	return nil
}

// stands reports whether this process believes that the place is in the store.
func (s *session) stands(p *ownPlace) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[p.claim.ID] == p && p.answered && !p.leaving
}
