package holdgate

import (
	"context"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

const (
	// glance is how often a session is looked at that is not yet due: the machine may have
	// slept, which stops the timer but not the time.
	glance = 5 * time.Second
	// comparing is how often, at least, what the store has is compared with what this
	// process knows. What a late request left behind may stand in everybody's way.
	comparing = time.Minute
	// idleRest is how often a session is renewed that does not expire by time and holds
	// nothing: waking hundreds of processes that only wait costs more than it tells.
	idleRest = 2 * time.Minute
)

// keep renews the session until it ends. One heartbeat serves any number of holds. The
// first follows when the Open was sent, not when it was answered.
func (s *session) keep() {
	c := s.client
	every := renewEvery(s.ttl(), c.features.RenewLag)
	failures := 0
	for due := s.opened + every; s.rest(due) == nil; {
		sent := c.clock.Now()
		err := s.renew(sent, min(every, attemptLimit))
		due = sent + every
		switch {
		case err != nil:
			failures++
			due = c.clock.Now() + min(c.backoff(failures), every)
		case failures > 0:
			failures = 0
			s.reconcileSoon() // what was sent during an outage may have happened or not
		}
	}
}

// rest waits until the next renewal is due, or the driver nudges. It looks at the clock in
// between, and, where a renewal only tells holders of evictions, takes its time while there
// are none.
func (s *session) rest(due time.Duration) error {
	clock := s.client.clock
	left := due - clock.Now()
	if idle := s.idle(); idle != nil {
		_, err := s.pass(idle, idleRest)
		s.rouse()
		if err == nil {
			return nil
		}
		due = clock.Now() + left // somebody holds since just now
	}
	for ; left > 0; left = due - clock.Now() {
		if nudged, err := s.pass(s.ctx, min(left, glance)); nudged || err != nil {
			return err
		}
	}
	return context.Cause(s.ctx)
}

// pass lets time pass, until the driver nudges, and does what is due by then.
func (s *session) pass(ctx context.Context, d time.Duration) (nudged bool, err error) {
	nudged, err = s.sleep(ctx, d)
	now := s.client.clock.Now()
	if s.believed() && now-s.compared >= min(s.ttl()-s.ttl()/100, comparing) {
		s.compared = now
		s.reconcileSoon()
	}
	return nudged, err
}

// sleep waits for d, or for the end of ctx, whose cause it returns, or for a nudge.
func (s *session) sleep(ctx context.Context, d time.Duration) (nudged bool, err error) {
	done := make(chan struct{})
	defer s.client.clock.AfterFunc(d, func() { close(done) })()
	select {
	case <-done:
		return false, nil
	case <-s.nudges:
		return true, nil
	case <-ctx.Done():
		return false, context.Cause(ctx)
	}
}

// idle returns a context that ends with the session or when somebody holds, nil when
// the session expires by time or somebody holds already.
func (s *session) idle() context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drv.TTL() > 0 || s.over.Load() {
		return nil
	}
	for _, p := range s.places {
		if !p.holders.none() {
			return nil
		}
	}
	ctx, wake := context.WithCancel(s.ctx)
	s.wake = wake
	return ctx
}

// rouse ends the idle rest, if there is one.
func (s *session) rouse() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.rouseLocked()
}

func (s *session) rouseLocked() {
	if s.wake != nil {
		s.wake()
		s.wake = nil
	}
}

// renew makes one attempt. It counts from when it was sent (I3).
func (s *session) renew(sent, timeout time.Duration) error {
	c := s.client
	attempt, stop := c.within(s.ctx, timeout)
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

// evicted tells the holder of a marked place. The place stands until the holder
// releases it or the evictor removes it: the holder may still be at work.
func (s *session) evicted(e driver.Eviction) {
	s.mu.Lock()
	p := s.places[e.PlaceID]
	if p == nil || p.evicted != nil {
		s.mu.Unlock()
		return
	}
	p.evicted = p.lossLocked(LostEvicted)
	p.evicted.By, p.evicted.Message = e.By, e.Reason
	held := slices.Clone(p.holders.all)
	s.mu.Unlock()
	for _, h := range held {
		h.end(p.evicted)
	}
}
