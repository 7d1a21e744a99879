package holdgate

import (
	"context"
	"maps"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// keep renews the session until it ends. One heartbeat serves any number of holds. The
// first follows when the Open was sent, not when it was answered.
func (s *session) keep() {
	c := s.client
	every := renewEvery(s.ttl(), c.features.RenewLag)
	perTTL := int(s.ttl() / every)
	failures := 0
	s.mu.Lock()
	opened := s.trust.proven
	s.mu.Unlock()
	for next, n := opened+every-c.clock.Now(), 1; sleep(s.ctx, c.clock, next) == nil; n++ {
		if failures == 0 {
			s.hurry()
		}
		sent := c.clock.Now()
		err := s.renew(sent, every)
		next = every - (c.clock.Now() - sent)
		switch {
		case err != nil:
			failures++
			next = min(s.client.backoff(failures), every)
		case failures > 0, n%perTTL == 0:
			failures = 0
			s.reconcileSoon() // what was sent during an outage may have happened or not
		}
	}
}

// renew makes one attempt. It counts from when it was sent (I3).
func (s *session) renew(sent, timeout time.Duration) error {
	c := s.client
	attempt, stop := c.attempt(s.ctx, timeout)
	evictions, err := s.drv.Renew(attempt)
	stop()
	answered := c.clock.Now()
	if !s.believed() {
		return err // too late: what arrives now revives nothing
	}
	// Before the trust grows: its old end is before the evictor may remove the place.
	for _, e := range evictions {
		s.evicted(e)
	}
	s.mu.Lock()
	s.lastErr = err
	if err == nil {
		s.trust.renewed(sent, answered)
		s.armLocked()
	}
	s.mu.Unlock()
	now := c.clock.Now()
	c.emit(Event{
		Type: EventRenewed, Session: s.drv.ID(), Took: now - sent,
		Slack: time.Duration(s.tellBy.Load()) - now, Err: err,
	})
	if err != nil {
		s.failed(err)
	}
	return err
}

// hurry ends the operations that were under way when the heart beat last: an answer
// that does not come must not use up the time in which a repetition could get one.
func (s *session) hurry() {
	s.mu.Lock()
	late := make(map[string]context.CancelCauseFunc)
	for id, p := range s.places {
		if p.cancel != nil && p.begun < s.beats {
			late[id] = p.cancel
		}
	}
	s.beats++
	s.mu.Unlock()
	for _, id := range slices.Sorted(maps.Keys(late)) { // in order, as inOrder says
		late[id](errNoAnswer)
	}
}

// evicted tells the holder of a marked place. The place stands until the holder
// releases it or the evictor removes it: the holder may still be at work.
func (s *session) evicted(e driver.Eviction) {
	s.mu.Lock()
	p := s.places[e.PlaceID]
	if p == nil || p.evicted != nil {
		s.mu.Unlock()
		return
	}
	p.evicted = &LostError{
		Name: p.claim.Line, Reason: LostEvicted, By: e.By, Message: e.Reason,
		LastRenewed: s.client.wall(s.trust.proven),
	}
	h := p.hold
	s.mu.Unlock()
	if h != nil {
		h.end(p.evicted)
	}
}

// attempt returns a context for one try: a request that hangs must not use up the
// time in which another could succeed.
func (c *Client) attempt(ctx context.Context, timeout time.Duration) (context.Context, func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := c.clock.AfterFunc(timeout, func() { cancel(errNoAnswer) })
	return ctx, func() {
		stop()
		cancel(nil)
	}
}
