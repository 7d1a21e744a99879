package holdgate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// session is a session of the store, and what this process believes of it.
//
// A hold is attached to a place, and a place to a session, only under mu and only
// while the session is believed. Whoever ends that belief does so under mu, so
// that it finds every hold there is (I1).
type session struct {
	client *Client
	drv    driver.Session

	// ctx ends with the session, and with the client.
	ctx    context.Context //nolint:containedctx // the session's own lifetime
	cancel context.CancelCauseFunc

	tellBy atomic.Int64    // client clock: until then the session is believed
	over   atomic.Bool     // set once, under mu
	doubt  chan struct{}   // asks for a reconciliation
	nudges <-chan struct{} // asks for a renewal; nil when the driver does not tell

	mu      sync.Mutex
	trust   trust
	places  map[string]*ownPlace // by ID, from before the ID is first sent (I4)
	disarm  func() bool          // stops the timer that ends belief
	lastErr error                // of the last renewal, nil when it succeeded
	cause   error                // why it ended
	noting  bool                 // a pass that records long holds is scheduled, or under way
	unseen  bool                 // something began since the pass looked
	rounds  int                  // that ended calls without an answer: see hurry
	// hurrying says that the next round is on its way.
	hurrying bool
	wake     context.CancelFunc // ends the rest of a session that holds nothing, else nil

	forgotten bool // the store does not have it any more; guarded by the client's mutex

	opened   time.Duration // when its Open was sent
	compared time.Duration // when keep last asked for a reconciliation
}

// newSession begins the life of a session whose Open was sent at this time.
func newSession(c *Client, drv driver.Session, sent time.Duration) *session {
	s := &session{
		client: c,
		drv:    drv,
		doubt:  make(chan struct{}, 1),
		trust:  newTrust(drv.TTL(), c.features.RenewLag, sent),
		places: make(map[string]*ownPlace),
		opened: sent, compared: sent,
	}
	if n, ok := drv.(driver.Nudger); ok {
		s.nudges = n.Nudges()
	}
	s.ctx, s.cancel = context.WithCancelCause(c.ctx)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.armLocked()
	return s
}

// ttl is how long the store keeps the session or, where that is as long as the
// process lives, how long the client would have asked for.
func (s *session) ttl() time.Duration {
	if ttl := s.drv.TTL(); ttl > 0 {
		return ttl
	}
	return s.client.opts.TTL
}

// believed reports whether the session may be trusted now. When it may no longer,
// it ends it: so a process that was stopped finds out before its timers run (I2).
func (s *session) believed() bool {
	if s.trusted() {
		return true
	}
	return !s.over.Load() && !s.expire()
}

// trusted is believed, without the consequence.
func (s *session) trusted() bool {
	return !s.over.Load() && s.client.clock.Now() < time.Duration(s.tellBy.Load())
}

// expire ends a session that was not renewed in time, and reports whether it is over.
func (s *session) expire() bool {
	s.mu.Lock()
	late := s.client.clock.Now() >= s.trust.tellBy()
	err := s.lastErr
	s.mu.Unlock()
	if late {
		s.lose(&LostError{Reason: LostExpired, Err: err})
	}
	return s.over.Load()
}

// armLocked sets the timer that ends belief.
func (s *session) armLocked() {
	by := s.trust.tellBy()
	s.tellBy.Store(int64(by))
	if s.disarm != nil {
		s.disarm()
	}
	if by != forever && !s.over.Load() {
		s.disarm = s.client.clock.AfterFunc(by-s.client.clock.Now(), func() { s.expire() })
	}
}

// lose ends a session that can be believed no more, and closes it at the store: a
// renewal that is still under way may reach it and keep its places alive. Its
// holders were told a guard before the deadline, to stop what they do: until then
// the places are not given away.
func (s *session) lose(lost *LostError) {
	if !s.end(lost) {
		return
	}
	c := s.client
	c.opts.Logger.LogAttrs(s.ctx, slog.LevelWarn, "session lost",
		slog.String("session", s.drv.ID()), slog.String("reason", string(lost.Reason)), slog.Any("error", lost.Err))
	c.emit(Event{Type: EventSessionLost, Session: s.drv.ID(), Err: lost})
	s.mu.Lock()
	deadline := s.trust.deadline()
	s.mu.Unlock()
	c.task(func() { // ends with the answer, or with the client
		if lost.Reason != LostExpired || sleep(c.ctx, c.clock, deadline-c.clock.Now()) == nil {
			_ = s.close(c.ctx)
		}
	})
}

// end ends belief in the session: all its holds are told, what is under way is
// cancelled, and nothing is granted on it again. Only the first call counts.
func (s *session) end(cause error) bool {
	s.mu.Lock()
	if s.over.Load() {
		s.mu.Unlock()
		return false
	}
	s.over.Store(true)
	s.cause = cause
	if s.disarm != nil {
		s.disarm()
	}
	places := s.places
	s.places = nil
	renewed := s.trust.proven
	s.mu.Unlock()

	s.client.live.CompareAndSwap(s, nil)
	s.cancel(cause)
	for p := range inOrder(places) {
		p.ended(s.toldOf(p, cause, renewed))
	}
	return true
}

// toldOf is what the holder of p is told when the session ended for this cause.
func (s *session) toldOf(p *ownPlace, cause error, renewed time.Duration) error {
	var lost *LostError
	if !errors.As(cause, &lost) {
		return cause
	}
	told := *lost
	told.Name = p.claim.Line
	told.LastRenewed = s.client.wall(renewed)
	return &told
}

// whyEnded is what the holder of p is told when the session has ended, else nil.
func (s *session) whyEnded(p *ownPlace) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.toldOf(p, s.cause, s.trust.proven)
}

// attempt returns a context for one request of the session.
func (s *session) attempt() (context.Context, func()) {
	return s.client.within(s.ctx, attemptTime(s.ttl()))
}

// close gives everything back to the store, trying until it answers, or has let the
// session expire, or refuses.
func (s *session) close(ctx context.Context) error {
	c := s.client
	limit := c.clock.Now() + s.ttl() + c.features.ExpirySlack
	for failures := 1; ; failures++ {
		attempt, stop := c.within(ctx, attemptTime(s.ttl()))
		err := s.drv.Close(attempt)
		stop()
		switch {
		case err == nil, errors.Is(err, driver.ErrSessionLost):
			c.forget(s)
			return nil
		case ctx.Err() == nil && (!transient(err) || c.clock.Now() >= limit):
			if s.drv.TTL() > 0 {
				c.forget(s) // its time is over, or nothing else will end it
			}
			return err
		}
		if cause := sleep(ctx, c.clock, c.backoff(failures)); cause != nil {
			return fmt.Errorf("%w: %w", cause, err)
		}
	}
}

// freed says when the store frees the places of a session that it was not told of.
func (s *session) freed() string {
	if s.drv.TTL() == 0 {
		return "when this process ends"
	}
	return fmt.Sprintf("%v later", s.ttl())
}

// failed judges what an operation on the session answered, and reports whether the
// session is over.
func (s *session) failed(err error) bool {
	// A driver that is closed has abandoned its sessions.
	if errors.Is(err, driver.ErrSessionLost) || errors.Is(err, driver.ErrClosed) {
		s.lose(&LostError{Reason: LostSession, Err: err})
	}
	if errors.Is(err, driver.ErrUnknownOutcome) {
		s.reconcileSoon()
	}
	return s.over.Load()
}
