package holdgate

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Trust lets tests at the trust window.
type Trust struct{ t trust }

// NewTrust begins with an Open that was sent at this time.
func NewTrust(ttl, lag, sent time.Duration) *Trust { return &Trust{newTrust(ttl, lag, sent)} }

// Renewed notes a renewal that succeeded.
func (t *Trust) Renewed(sent, answered time.Duration) { t.t.renewed(sent, answered) }

// Deadline is when the store may free the session's places.
func (t *Trust) Deadline() time.Duration { return t.t.deadline() }

// TellBy is when holders are told.
func (t *Trust) TellBy() time.Duration { return t.t.tellBy() }

// Forever is the deadline of a session that does not expire by time.
const Forever = forever

// Guard and RenewEvery are what follows from a TTL.
var (
	Guard      = guard
	RenewEvery = renewEvery
)

// LocalLines returns how many names the client has a local line for.
func (c *Client) LocalLines() int {
	c.lines.mu.Lock()
	defer c.lines.mu.Unlock()
	return len(c.lines.lines)
}

// OwnPlaces returns how many places the client believes it has, or may have.
func (c *Client) OwnPlaces() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	n := 0
	for s := range c.sessions {
		n += len(s.known())
	}
	return n
}

// PlacesToStay returns how many places a local line has, or may have, and does not leave: the
// most that one has.
func (c *Client) PlacesToStay() int {
	s := c.live.Load()
	if s == nil {
		return 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	n := map[*localLine]int{nil: 0}
	for _, p := range s.places {
		if !p.leaving {
			n[p.line]++
		}
	}
	return slices.Max(slices.Collect(maps.Values(n)))
}

// Sessions returns how many sessions the client thinks the store may have.
func (c *Client) Sessions() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.sessions)
}

// OpenTooLate opens a session whose trust has ended before it is published: what
// happens when an Open is answered late, and its timer is faster than its caller.
func (c *Client) OpenTooLate(ctx context.Context) error {
	sent := c.clock.Now() - 2*c.opts.TTL
	drv, err := c.drv.Open(ctx, driver.SessionOptions{TTL: c.opts.TTL, Owner: c.opts.Owner})
	if err != nil {
		return err
	}
	o := &opening{done: make(chan struct{}), session: newSession(c, drv, sent)}
	defer close(o.done)
	o.session.expire()
	synctest.Wait() // and that it was closed
	c.opened(o)
	return nil
}

// SystemClock is the machine's clock, with what tells how long it has slept.
type SystemClock = systemClock

// NewSystemClock returns one; nil asks the machine.
func NewSystemClock(slept func() (time.Duration, bool)) *SystemClock {
	c := newSystemClock()
	if slept != nil {
		c.slept = slept
		c.awake, _ = slept()
	}
	return c
}

// SetWall sets the wall clock of the machine by d, as far as this clock can tell: the
// two times of a reading are further apart than they were.
func (c *systemClock) SetWall(d time.Duration) {
	seen := *c.seen.Load()
	seen.drift -= d
	c.seen.Store(&seen)
}

// DriftLimit is how far they may part before the machine is asked whether it slept.
const DriftLimit = driftLimit

// Backoff is how long the client waits after so many failures.
func (c *Client) Backoff(failures int) time.Duration { return c.backoff(failures) }

// DescribeLine tells all that the client knows of its places in a line, and of who waits for
// them. Place gives each place a name.
func (c *Client) DescribeLine(name string, place func(id string) string) string {
	var b strings.Builder
	live := c.live.Load()
	c.mu.Lock()
	sessions := slices.Collect(maps.Keys(c.sessions))
	fmt.Fprint(&b, len(sessions), live != nil, c.opening != nil, " ")
	c.mu.Unlock()
	for _, s := range sessions {
		s.mu.Lock()
		var places []string
		for id, p := range s.places {
			places = append(places, fmt.Sprint(place(id), p.answered, p.leaving, p.unsure, p.at.Granted, len(p.holders.all)))
		}
		s.mu.Unlock()
		slices.Sort(places)
		fmt.Fprint(&b, s == live, places)
	}
	c.lines.mu.Lock()
	l := c.lines.lines[name]
	c.lines.mu.Unlock()
	if l == nil {
		return b.String()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	fmt.Fprint(&b, " line ", l.state, l.swap, l.grants, l.queue.len(), l.alone, l.follower != nil)
	if l.place != nil {
		fmt.Fprint(&b, place(l.place.claim.ID))
	}
	return b.String()
}
