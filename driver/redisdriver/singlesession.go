package redisdriver

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// singleSession is a session of the plain layout. The store has a record of it with a time to
// live, as each of its locks has; only its client knows which these are.
type singleSession struct {
	d     *Driver
	id    string
	owner string
	ttl   time.Duration

	// ctx ends with the session, as far as that is known here, and with the handle.
	ctx context.Context //nolint:containedctx // the session's own lifetime
	end context.CancelCauseFunc

	mu sync.Mutex
	// renewed is when the last Open or Renew was sent that succeeded: for a TTL from then on
	// the session certainly lives.
	renewed time.Time
	tries   map[string]*try // by place
}

// try is a place that has the key, or may have it.
type try struct {
	line, value string
	sent        *request // the last one that would take the key
}

var _ driver.Session = (*singleSession)(nil)

// Open starts a session.
func (s *Single) Open(ctx context.Context, opts driver.SessionOptions) (driver.Session, error) {
	if opts.TTL < minTTL {
		return nil, fmt.Errorf("%w: a TTL is at least %v, not %v", driver.ErrInvalid, minTTL, opts.TTL)
	}
	if err := driver.CheckOwner(opts.Owner); err != nil {
		return nil, err
	}
	ms := milliseconds(opts.TTL)
	ses := &singleSession{
		d: s.d, id: newSessionID(), owner: opts.Owner, ttl: time.Duration(ms) * time.Millisecond,
		renewed: time.Now(), tries: make(map[string]*try),
	}
	if _, err := s.d.call(ctx, ses.request(s.d.scripts.take, ses.record(), ses.owner, ses.ttl.Milliseconds())); err != nil {
		return nil, err
	}
	ses.ctx, ses.end = context.WithCancelCause(s.d.ctx)
	return ses, nil
}

func (s *singleSession) ID() string         { return s.id }
func (s *singleSession) TTL() time.Duration { return s.ttl }

// record is the key of the session itself.
func (s *singleSession) record() string { return s.d.keys.session(s.id) }

func (s *singleSession) request(script *script, key string, args ...any) *request {
	return newRequest(script, []string{key}, args...)
}

// Renew gives the session's record and each of its keys their time anew. A key that is not
// ours any more is found by Present.
func (s *singleSession) Renew(ctx context.Context) ([]driver.Eviction, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	sent, ms := time.Now(), s.ttl.Milliseconds()
	all := []*request{s.request(s.d.scripts.keep, s.record(), s.owner, ms)}
	for _, t := range s.all() {
		all = append(all, s.request(s.d.scripts.keep, t.line, t.value, ms))
	}
	answers, err := s.d.callAll(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("renew: %w", err)
	}
	if answers[0].text(0) == saysGone {
		return nil, s.lost(ctx)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.renewed = sent
	return nil, nil
}

// Present returns the places whose keys are ours.
func (s *singleSession) Present(ctx context.Context) ([]driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	all, tries := []*request{s.request(s.d.scripts.peek, s.record())}, s.all()
	for _, t := range tries {
		all = append(all, s.request(s.d.scripts.peek, t.line))
	}
	answers, err := s.d.callAll(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("present: %w", err)
	}
	if answers[0].integer(1) == 0 {
		return nil, s.lost(ctx)
	}
	var places []driver.Place
	for i, t := range tries {
		if answers[i+1].text(0) == t.value {
			places = append(places, placeOf(t.line, t.value))
		}
	}
	return places, nil
}

// Update is refused: one key has no room for data.
func (s *singleSession) Update(ctx context.Context, _ driver.Place) (driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return driver.Place{}, err
	}
	return driver.Place{}, fmt.Errorf("%w: one key has no room for data", driver.ErrUnsupported)
}

// Close ends the session, and gives back its keys.
func (s *singleSession) Close(ctx context.Context) error {
	if err := s.d.usable(ctx); err != nil {
		return err
	}
	s.end(driver.ErrSessionLost) // nothing more is tried
	if err := s.giveBack(ctx); err != nil {
		return fmt.Errorf("close session %s: %w", s.id, err)
	}
	return nil
}

// giveBack deletes what the session has.
func (s *singleSession) giveBack(ctx context.Context) error {
	all := []*request{s.request(s.d.scripts.drop, s.record(), s.owner, "")}
	for _, t := range s.all() {
		if err := settled(ctx, t); err != nil {
			return err
		}
		all = append(all, s.request(s.d.scripts.drop, t.line, t.value, ""))
	}
	_, err := s.d.callAll(ctx, all)
	return err
}

// all returns the places that have a key, or may have.
func (s *singleSession) all() []*try {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := make([]*try, 0, len(s.tries))
	for _, t := range s.tries {
		copied := *t
		all = append(all, &copied)
	}
	return all
}

// usable says why a call on the session cannot even begin.
func (s *singleSession) usable(ctx context.Context) error {
	if err := s.d.usable(ctx); err != nil {
		return err
	}
	return s.over()
}

// over says why the session has ended, as far as that is known here.
func (s *singleSession) over() error { return overBy(context.Cause(s.ctx), s.id) }

// alive says whether the session lives. While its last renewal is younger than its TTL
// nobody has to be asked.
func (s *singleSession) alive(ctx context.Context) error {
	if err := s.usable(ctx); err != nil {
		return err
	}
	s.mu.Lock()
	young := time.Since(s.renewed) < s.ttl
	s.mu.Unlock()
	if young {
		return nil
	}
	switch _, there, err := s.d.peek(ctx, s.record()); {
	case err != nil:
		return err
	case !there:
		return s.lost(ctx)
	}
	return nil
}

// lost ends the session, and gives back what it has: its keys may outlive it by a little.
func (s *singleSession) lost(ctx context.Context) error {
	s.end(driver.ErrSessionLost)
	_ = s.giveBack(ctx) // else they expire
	return s.over()
}
