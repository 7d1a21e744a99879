package redisdriver

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Wait returns when the place is granted. Whoever grants it tells the channel of its
// session, and that is all: the place is known here. A message may be lost with its
// connection, so after each new subscription the places that wait are looked at; and
// Redis ends no session by itself, so meanwhile the sweeper comes when one is due.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	now, err := s.wait(ctx, p)
	if err != nil {
		return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
	}
	return now, nil
}

func (s *session) wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	t := s.turnOf(p.ID)
	if t == nil {
		// Granted when it entered, or nothing that we know of.
		now, err := s.look(ctx, p.Line, p.ID)
		if err != nil || now.Granted {
			return now, err
		}
		t = s.resume(now)
	}
	s.listen()
	defer s.d.sweeper.attend()()
	select {
	case <-s.decision(t):
		return s.decided(t)
	case <-ctx.Done():
		return driver.Place{}, context.Cause(ctx)
	case <-s.ctx.Done():
		return driver.Place{}, s.over()
	}
}

// turnOf returns the turn of a place that has been answered.
func (s *session) turnOf(id string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	if t := s.turns[id]; t != nil && t.place.Line != "" {
		return t
	}
	return nil
}

// resume begins the turn of a place that was found waiting.
func (s *session) resume(p driver.Place) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	t := s.turns[p.ID]
	if t == nil {
		t = s.beginLocked(p.ID)
	}
	if t.place.Line == "" {
		t.place = p
	}
	// The grant may have come between the look and this, and nobody was there to note it.
	s.relook(t)
	return t
}

func (s *session) decided(t *turn) (driver.Place, error) {
	if err := s.over(); err != nil {
		return driver.Place{}, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if t.state == stateGone {
		return driver.Place{}, gone(t.place.Line, t.id)
	}
	p := t.place
	p.Granted = true
	p.Data = []byte(string(p.Data))
	return p, nil
}

// look reads one place.
func (s *session) look(ctx context.Context, line, id string) (driver.Place, error) {
	answer, err := s.call(ctx, newRequest(s.d.scripts.look, s.d.keys.ofPlace(s.id, line), s.id, line, id))
	if err != nil {
		return driver.Place{}, err
	}
	return s.lookedAt(line, id, answer)
}

// lookedAt reads the answer of a script that shows one place.
func (s *session) lookedAt(line, id string, answer reply) (driver.Place, error) {
	if word := answer.text(0); word != saysGranted && word != saysWaiting {
		return driver.Place{}, answer.refusal(line, id)
	}
	p, err := shownPlace(line, answer.list(2))
	p.Granted = answer.text(0) == saysGranted
	return p, err
}

func (s *session) channel() topic { return topic{name: s.d.keys.session(s.id)} }

// listen subscribes to what is told of the session's places.
func (s *session) listen() {
	s.mu.Lock()
	first := !s.listening
	s.listening = true
	s.mu.Unlock()
	if first && s.ctx.Err() == nil {
		s.d.feed.join(s.channel(), s)
	}
}

// told is a message on the session's channel.
func (s *session) told(_, message string) {
	word, id, _ := strings.Cut(message, " ")
	switch word {
	case "lost":
		s.ended()
	case "granted":
		s.mu.Lock()
		s.advanceLocked(id, stateGranted)
		s.mu.Unlock()
	case "removed":
		s.forget(id)
	}
}

// subscribed looks at everything that waits: what was told before was not heard.
func (s *session) subscribed() {
	for _, t := range s.waiting() {
		s.relook(t)
	}
}

// cut is nothing to a session: it goes on when the subscription does.
func (s *session) cut() {}

// retryLook is how long after a look that failed the next one is.
const retryLook = 250 * time.Millisecond

// relook looks at a place in the background until the store has answered.
func (s *session) relook(t *turn) {
	s.d.task(func() { // ends with the session, or the answer
		line := s.lineOf(t)
		for s.ctx.Err() == nil {
			p, err := s.look(s.ctx, line, t.id)
			if err == nil || oneOf(err, driver.ErrGone) {
				s.seen(t, p, err)
				return
			}
			if !s.d.pause(retryLook) {
				return
			}
		}
	})
}

// lineOf is the line of a turn. It stays the same, while the rest of the place may change.
func (s *session) lineOf(t *turn) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return t.place.Line
}

// seen notes what a look has found.
func (s *session) seen(t *turn, p driver.Place, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case err != nil:
		t.advanceLocked(stateGone)
		s.dropLocked(t)
	case p.Granted:
		t.place = p
		t.advanceLocked(stateGranted)
	}
}
