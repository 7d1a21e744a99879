package holdgate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// errSessionOver: the place went with its session; a new one is needed.
var errSessionOver = fmt.Errorf("the session ended: %w", ErrUnavailable)

// errRemoved: somebody removed the place from its line.
var errRemoved = errors.New("the place was removed from the line")

// ownPlace is a place of this process in a line: from before its ID is first sent
// until the store is known not to have it (I4).
type ownPlace struct {
	session *session
	claim   driver.Claim
	line    *localLine // told when the place ends under its holder; may be nil

	// Under session.mu:

	at       driver.Place            // as the store last answered
	answered bool                    // it did
	leaving  bool                    // a Leave or Swap was begun: nothing is granted on it any more
	unsure   bool                    // a Leave was sent whose answer was lost
	evicted  *LostError              // what its holders are told
	holders  holders                 // who holds by it now
	held     time.Duration           // since when the place is held, on the client's clock
	noted    bool                    // that was written to the store
	value    string                  // what it tells the others
	around   []string                // the places that are held around the wait of who has no line
	told     string                  // what it tells of such places
	untold   bool                    // that is not known to be written
	lowered  bool                    // it takes less than it was entered with
	cancel   context.CancelCauseFunc // ends the call under way, nil when none is
	begun    int                     // the round of the session in which it was begun
}

// register makes a place known before it is sent, nil when the session is over.
func (s *session) register(claim driver.Claim, line *localLine) *ownPlace {
	claim.ID = s.client.random.id()
	p := &ownPlace{
		session: s, claim: claim, line: line,
		value: valueIn(claim),
		noted: claim.Kind == driver.KindPresence, // it tells that from the start
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over.Load() {
		return nil
	}
	s.places[claim.ID] = p
	return p
}

// drop forgets a place that the store does not have, and reports whether it was
// still known.
func (p *ownPlace) drop() bool {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.places[p.claim.ID] != p {
		return false
	}
	delete(s.places, p.claim.ID)
	return true
}

// take notes what the store answered. It reports false when the session ended
// meanwhile: an answer that came too late proves nothing.
func (p *ownPlace) take(at driver.Place) bool {
	s := p.session
	if !s.believed() {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	at.Granted = at.Granted || p.at.Granted // it stays granted: an answer may be older than the last one
	p.at, p.answered = at, true
	return !s.over.Load()
}

// last is the place as the store last answered.
func (p *ownPlace) last() driver.Place {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.at
}

// granted reports whether the place was granted when the store last answered.
func (p *ownPlace) granted() bool { return p.last().Granted }

// grant attaches a hold, if the place can be believed (I1). It ends nothing, so that it
// may be called under the mutex of a local line.
func (p *ownPlace) grant(h *Hold) error {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if err := p.mayGrantLocked(h); err != nil {
		return err
	}
	p.holders.only(h)
	return nil
}

// share is grant for one more reader beside those who hold by the place.
func (p *ownPlace) share(h *Hold) error {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if err := p.mayGrantLocked(h); err != nil {
		return err
	}
	p.holders.add(h)
	return nil
}

// mayGrantLocked says why h cannot hold by the place, or gets ready for it.
func (p *ownPlace) mayGrantLocked(h *Hold) error {
	s := p.session
	switch {
	case !s.trusted():
		return errSessionOver
	case s.places[p.claim.ID] != p:
		return errRemoved
	case p.evicted != nil:
		return p.evicted
	case p.leaving:
		panic("holdgate: grant on a place that is being left")
	}
	if p.holders.none() {
		p.held = h.since
		s.noteLaterLocked()
		s.rouseLocked()
	}
	return nil
}

// part takes a reader out, and reports whether it was the last one.
func (p *ownPlace) part(h *Hold) (last bool) {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.holders.remove(h)
	return p.holders.none()
}

// removed ends a place that the store has no more, though nobody here left it.
func (p *ownPlace) removed() {
	if !p.drop() {
		return
	}
	p.ended(p.loss(LostRemoved))
}

// loss is what the holder of the place is told when it was lost for this reason.
func (p *ownPlace) loss(reason LostReason) *LostError {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	return p.lossLocked(reason)
}

func (p *ownPlace) lossLocked(reason LostReason) *LostError {
	s := p.session
	return &LostError{Name: p.claim.Line, Reason: reason, LastRenewed: s.client.wall(s.trust.proven)}
}

// ended tells all who depend on a place that was just forgotten.
func (p *ownPlace) ended(cause error) {
	s := p.session
	s.mu.Lock()
	held, cancel := slices.Clone(p.holders.all), p.cancel
	s.mu.Unlock()
	if cancel != nil {
		cancel(errSessionOver)
	}
	for _, h := range held {
		h.end(cause)
	}
	if p.line != nil {
		p.line.placeEnded(p)
	}
}
