package redisdriver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// session is a session as its client has it.
type session struct {
	d     *Driver
	id    string
	owner string
	ttl   time.Duration

	// ctx ends with the session, as far as that is known here, and with the handle.
	ctx context.Context //nolint:containedctx // the session's own lifetime
	end context.CancelCauseFunc

	mu sync.Mutex
	// turns are the places that wait, or that an Enter under way may make wait.
	turns map[string]*turn
	// unsure are the places that a request may yet make whose answer was lost.
	unsure    map[string]struct{}
	listening bool // to the channel of the session
}

var (
	_ driver.Session  = (*session)(nil)
	_ driver.AllTrier = (*session)(nil)
)

// Open starts a session. A server that may evict keys is refused: locks would vanish.
func (d *Driver) Open(ctx context.Context, opts driver.SessionOptions) (driver.Session, error) {
	if opts.TTL < minTTL {
		return nil, fmt.Errorf("%w: a TTL is at least %v, not %v", driver.ErrInvalid, minTTL, opts.TTL)
	}
	if err := driver.CheckOwner(opts.Owner); err != nil {
		return nil, err
	}
	ms := milliseconds(opts.TTL)
	s := &session{
		d: d, id: newSessionID(), owner: opts.Owner, ttl: time.Duration(ms) * time.Millisecond,
		turns:  make(map[string]*turn),
		unsure: make(map[string]struct{}),
	}
	answer, err := d.call(ctx, newRequest(d.scripts.open, d.keys.ofSession(s.id), s.id, s.owner, ms))
	switch {
	case err != nil:
		// One that was made all the same ends by itself.
		return nil, err
	case answer.text(0) == saysPolicy:
		return nil, fmt.Errorf("%w: the server's maxmemory-policy is %s: it may delete locks; set noeviction",
			driver.ErrUnsupported, answer.text(1))
	}
	d.keys.alone.Store(answer.text(1) == "0")
	s.ctx, s.end = context.WithCancelCause(d.ctx)
	return s, nil
}

// milliseconds is a TTL as Redis counts it, not less than was asked for.
func milliseconds(ttl time.Duration) int64 {
	return int64((ttl + time.Millisecond - 1) / time.Millisecond)
}

// newSessionID is an ID that never comes back.
func newSessionID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails, says its documentation
	return hex.EncodeToString(b[:])
}

func (s *session) ID() string         { return s.id }
func (s *session) TTL() time.Duration { return s.ttl }

// Renew starts the store's clock for this session anew.
func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	answer, err := s.call(ctx, newRequest(s.d.scripts.renew, s.d.keys.ofSession(s.id), s.id))
	if err != nil {
		return nil, fmt.Errorf("renew: %w", err)
	}
	var marks []driver.Eviction
	for i := 1; i < len(answer); i++ {
		told := answer.list(i)
		e, err := readMark(told.text(0), told.text(1), told.text(2))
		if err != nil {
			return nil, err
		}
		marks = append(marks, e)
	}
	return marks, nil
}

// Present returns every place of this session.
func (s *session) Present(ctx context.Context) ([]driver.Place, error) {
	answer, err := s.call(ctx, newRequest(s.d.scripts.present, s.d.keys.ofSession(s.id), s.id))
	if err != nil {
		return nil, fmt.Errorf("present: %w", err)
	}
	var places []driver.Place
	for i := 1; i < len(answer); i++ {
		told := answer.list(i)
		places = append(places, driver.Place{
			Line: told.text(0), ID: told.text(1), Order: uint64(number(told.text(2))),
			Session: s.id, Owner: s.owner, TTL: s.ttl,
		})
	}
	return places, nil
}

// Close ends the session and removes all its places. A session of very many needs more
// than one step for that; from the first on it is over.
func (s *session) Close(ctx context.Context) error {
	for {
		answer, err := s.d.call(ctx, newRequest(s.d.scripts.close, s.d.keys.ofSession(s.id), s.id))
		if err != nil {
			return fmt.Errorf("close session %s: %w", s.id, err)
		}
		s.ended()
		if answer.text(0) == saysOK {
			return nil
		}
	}
}

// call runs a script of the session, and notes the session's end when it says so.
func (s *session) call(ctx context.Context, r *request) (reply, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	answer, err := s.d.call(ctx, r)
	if err == nil && answer.text(0) == saysLost {
		return nil, s.lost()
	}
	return answer, err
}

// ended notes that the session is no more, for good.
func (s *session) ended() {
	s.end(driver.ErrSessionLost)
	s.d.feed.leave(s.channel(), s)
}

func (s *session) lost() error {
	s.ended()
	return fmt.Errorf("%w: %s", driver.ErrSessionLost, s.id)
}

// usable says why a call on the session cannot even begin.
func (s *session) usable(ctx context.Context) error {
	if err := s.d.usable(ctx); err != nil {
		return err
	}
	return s.over()
}

// over says why the session has ended, as far as that is known here.
func (s *session) over() error { return overBy(context.Cause(s.ctx), s.id) }

// overBy says why a session has ended, by the cause that its context ended with.
func overBy(cause error, id string) error {
	switch {
	case cause == nil:
		return nil
	case oneOf(cause, driver.ErrSessionLost):
		return fmt.Errorf("%w: %s", driver.ErrSessionLost, id)
	default:
		return driver.ErrClosed
	}
}
