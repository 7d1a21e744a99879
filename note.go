package holdgate

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// noteRoom is what a note takes beside the reason, at most: the names of its fields, a
// time with its zone and nanoseconds, and the digits of a token.
const noteRoom = 128

// note is what this package keeps in the data of a place, as JSON.
type note struct {
	Reason string    `json:"reason,omitempty"`
	Value  string    `json:"value,omitempty"`
	Since  time.Time `json:"since,omitzero"`
	Token  Token     `json:"token,omitempty"`
	Under  string    `json:"under,omitempty"` // IDs of places, with spaces between them
}

func (n note) encode() []byte {
	if n == (note{}) {
		return nil
	}
	data, err := json.Marshal(n)
	if err != nil {
		panic(err) // strings, a number and a time in this century always encode
	}
	if len(data) > driver.MaxData && n.Under != "" {
		n.Under = "" // what was promised to fit comes first
		return n.encode()
	}
	return data
}

// valueIn is what a place tells the others that is asked for like this.
func valueIn(c driver.Claim) string {
	if c.Kind != driver.KindElection && c.Kind != driver.KindPresence {
		return "" // nothing is decoded on the fast path
	}
	var n note
	_ = json.Unmarshal(c.Data, &n) // it was encoded here
	return n.Value
}

// noteAfter is how long a hold lasts before its "since when" is written to the
// store. Nobody waits for that, and short holds never pay for it.
const noteAfter = time.Second

// noteLaterLocked schedules a pass over the holds that are not recorded yet.
func (s *session) noteLaterLocked() {
	if s.noting {
		s.unseen = true // by a pass that is under way: it comes back
		return
	}
	s.noting = true
	s.client.clock.AfterFunc(noteAfter, func() {
		s.client.task(s.noteLong) // ends with its last Update, or with the session
	})
}

// noteLong records the holds that last, and comes back while there are younger ones.
func (s *session) noteLong() {
	due, younger := s.unnoted()
	for _, p := range due {
		s.note(p)
	}
	younger = s.tellAround() || younger
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noting = false
	if (younger || s.unseen) && !s.over.Load() {
		s.noteLaterLocked()
	}
}

// unnoted finds the held places that are due to be recorded, and whether there are
// others that may become due.
func (s *session) unnoted() (due []*ownPlace, younger bool) {
	now := s.client.clock.Now()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.unseen = false
	for p := range inOrder(s.places) {
		switch {
		case p.holders.none() || p.noted || p.leaving:
		case now-p.held >= noteAfter:
			p.noted = true
			due = append(due, p)
		default:
			younger = true
		}
	}
	return due, younger
}

// note is what is to be in the data of the place.
func (p *ownPlace) note() note {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	n := note{Reason: s.client.opts.Reason, Value: p.value, Under: p.told}
	if h := p.holders.first(); p.noted && h != nil {
		n.Since, n.Token = s.client.wall(p.held), h.token
	}
	return n
}

// note writes since when a place is held. An Update never re-creates a place, so it
// may come too late without harm.
func (s *session) note(p *ownPlace) {
	s.mu.Lock()
	held := !p.holders.none()
	s.mu.Unlock()
	if !held {
		return
	}
	switch err := p.rewrite(); {
	case err == nil:
	case errors.Is(err, driver.ErrGone):
		s.reconcileSoon() // it was left just now, or somebody removed it
	default:
		s.failed(err)
	}
}

// rewrite writes the note of a place that stands, in one attempt, and another one when the place was
// read before it was last written.
func (p *ownPlace) rewrite() error {
	ctx, stop := p.session.attempt()
	defer stop()
	edit := func(at *driver.Place) { at.Data = p.note().encode() }
	err := p.update(ctx, edit)
	if errors.Is(err, driver.ErrConflict) {
		if err = p.reread(ctx); errors.Is(err, errChanged) {
			err = p.update(ctx, edit)
		}
	}
	return err
}
