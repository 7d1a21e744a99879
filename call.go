package holdgate

import (
	"context"
	"maps"
	"math"
	"slices"
	"time"
)

// Calls about a place that get no answer. Each of them is ended in time, so that it can
// be repeated: a packet that was lost must not hold anybody up for as long as the
// session lives. They have no timers of their own: a round of the session, which is
// on its way only while some call is, ends those that the round before saw already.

// endless is the round of a call that may take as long as it takes.
const endless = math.MaxInt

// begin returns the context for a call about the place: it ends with ctx, with the
// session and, unless the call waits, when there is no answer in time. The call has to
// be the only one about this place, until finish.
func (p *ownPlace) begin(ctx context.Context, waits bool) context.Context {
	ctx, cancel := context.WithCancelCause(ctx)
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	p.cancel, p.begun = cancel, s.rounds
	switch {
	case s.over.Load():
		cancel(errSessionOver)
	case waits:
		p.begun = endless
	default:
		s.hurryLaterLocked()
	}
	return ctx
}

// finish ends a call.
func (p *ownPlace) finish() {
	s := p.session
	s.mu.Lock()
	cancel := p.cancel
	p.cancel = nil
	s.mu.Unlock()
	cancel(nil)
}

// hurryLaterLocked schedules a round, of which a call sees two at most.
func (s *session) hurryLaterLocked() {
	if s.hurrying {
		return
	}
	s.hurrying = true
	s.client.clock.AfterFunc(roundTime(s.ttl()), s.hurry)
}

// roundTime is how long a round takes. It is not what an attempt takes: what is due at
// one moment happens in any order, and a simulation has to take the same way again.
func roundTime(ttl time.Duration) time.Duration { return min(3*ttl/16, attemptLimit/2) }

// hurry ends the calls that were under way in the round before.
func (s *session) hurry() {
	s.mu.Lock()
	late := make(map[string]context.CancelCauseFunc)
	s.hurrying = false
	for id, p := range s.places {
		switch {
		case p.cancel == nil || p.begun == endless:
		case p.begun < s.rounds:
			late[id] = p.cancel
		default:
			s.hurryLaterLocked()
		}
	}
	s.rounds++
	s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(late)) { // in order, as inOrder says
		late[id](errNoAnswer)
	}
}
