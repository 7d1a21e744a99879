package holdgate

import (
	"context"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Lingering, see Options.Linger. A place that was released stays with the local line while
// nobody else is in line for the name: the next Lock here gets it without asking the store.
//
// That nobody else is there is what a watch of the line says, which stands as long as the
// lock is used. Without its word nothing lingers: not before its first snapshot, not after
// it broke. It may lag, so what it says is no reason to go on for ever: see servesAtMost.

// MaxLinger is the most of Options.Linger.
const MaxLinger = 100 * time.Millisecond

// servesAtMost is for how long a place is passed on while the watch says that nobody else
// waits. Then it goes to the end of the store's line, which asks the store: so long may
// somebody wait whom a watch that hangs does not show.
const servesAtMost = time.Second

// lingering is what a local line knows of the others in the store's line, guarded by its
// mutex.
type lingering struct {
	follower context.Context //nolint:containedctx // of the task that follows the line; nil: there is none
	unfollow context.CancelFunc
	alone    bool          // the line was seen, and nobody else was in it
	until    time.Duration // so long a place is kept, and the line followed, that nobody here uses
}

// checkLinger says what is wrong with Options.Linger on this store.
func (o *Options) checkLinger(f driver.Features) error {
	switch {
	case o.Linger < 0 || o.Linger > MaxLinger:
		return fmt.Errorf("holdgate: Options.Linger is 0 to %v, not %v", MaxLinger, o.Linger)
	case o.Linger > 0 && o.Handoff.Strict:
		return fmt.Errorf("holdgate: Options.Linger hands a lock on within the process, Options.Handoff.Strict forbids that")
	case o.Linger > 0 && f.Layout == driver.LayoutSingle:
		return fmt.Errorf("holdgate: Options.Linger: in this layout %s does not show who waits: %w", f.Store, ErrUnsupported)
	}
	return nil
}

// servesLocked reports whether the place may be granted once more without asking the store.
func (l *localLine) servesLocked() bool {
	bound := l.client.opts.Handoff
	if l.grants >= bound.Grants {
		return false
	}
	served := l.client.clock.Now() - l.first
	return served < bound.Time || l.alone && served < servesAtMost
}

// keepLocked keeps the place that was just released, if it may linger.
func (l *localLine) keepLocked() bool {
	c := l.client
	if c.opts.Linger == 0 {
		return false
	}
	l.until = c.clock.Now() + c.opts.Linger
	if l.follower == nil {
		l.followLocked()
	}
	if !l.alone || !l.servesLocked() || !l.place.vacate() {
		return false
	}
	l.state = lineKept
	return true
}

// vacate makes the place one that nobody holds by, and reports whether it may still be
// believed.
func (p *ownPlace) vacate() bool {
	s := p.session
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.trusted() || s.places[p.claim.ID] != p || p.evicted != nil || p.leaving {
		return false
	}
	p.holders.clear()
	p.noted = false // who holds by it next, does so since later
	return true
}

// retakeLocked grants the place that was kept, nil when it is not to be used any more.
func (l *localLine) retakeLocked(ctx context.Context) *Hold {
	if !l.servesLocked() {
		return nil
	}
	h, err := l.grantLocked(ctx) // which looks whether it can be believed (I2)
	if err != nil {
		l.place.abandon() // it was lost, or is asked to go
		l.place, l.state = nil, lineIdle
		return nil
	}
	return h
}

// followLocked begins to follow the line in the store, until nobody here has used it for as
// long as a place is kept.
func (l *localLine) followLocked() {
	c := l.client
	ctx, cancel := context.WithCancel(c.ctx)
	c.lines.stay(l)
	if !c.task(func() { // ends with ctx
		defer c.lines.part(l)
		l.follow(ctx)
	}) {
		cancel()
		c.lines.part(l)
		return
	}
	l.follower, l.unfollow = ctx, cancel
	c.clock.AfterFunc(c.opts.Linger, l.overdue)
}

// follow notes who else is in the store's line. While it cannot tell, nothing lingers.
func (l *localLine) follow(ctx context.Context) {
	c := l.client
	for failures := 1; ctx.Err() == nil; failures++ {
		for s, err := range c.drv.Watch(ctx, driver.Query{Name: l.claim.Line}) {
			if err != nil {
				break
			}
			failures = 1
			l.saw(ctx, func() bool { return l.onlyOurs(s) })
		}
		l.saw(ctx, func() bool { return false })
		_ = sleep(ctx, c.clock, c.backoff(failures))
	}
}

// saw notes whether the line has nobody but us. If somebody else is there, what was kept
// is for them.
func (l *localLine) saw(ctx context.Context, alone func() bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if ctx.Err() != nil {
		return // another one follows by now
	}
	if l.alone = alone(); !l.alone && l.state == lineKept {
		l.surrenderLocked()
	}
}

// onlyOurs reports whether all places of the line are those of this local line: also one
// that it is about to get or to leave.
func (l *localLine) onlyOurs(s driver.Snapshot) bool {
	live := l.client.live.Load()
	for _, line := range s.Lines {
		for _, p := range line.Places {
			if live == nil || !live.ownedBy(p.ID, l) {
				return false
			}
		}
	}
	return true
}

// ownedBy reports whether the place is one of this local line.
func (s *session) ownedBy(id string, l *localLine) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	p := s.places[id]
	return p != nil && p.line == l
}

// overdue looks whether the line was used meanwhile. One that was not is given up.
func (l *localLine) overdue() {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.client
	left := l.until - c.clock.Now()
	switch {
	case l.follower == nil:
		return
	case l.state == lineHeld || l.state == lineDriving:
		left = c.opts.Linger
	case left > 0:
	case l.state == lineKept:
		l.surrenderLocked()
		fallthrough
	default:
		l.unfollow()
		l.lingering = lingering{}
		return
	}
	c.clock.AfterFunc(left, l.overdue)
}

// surrenderLocked gives a place back that was kept. Who wants the lock meanwhile queues here.
func (l *localLine) surrenderLocked() {
	c, p := l.client, l.place
	l.state, l.place = lineDriving, nil
	c.lines.stay(l)
	if !c.task(func() { // ends with the answer, or with the client
		defer c.lines.part(l)
		_ = l.leave(c.ctx, p)
	}) {
		c.lines.part(l)
		l.state = lineIdle // closing gives back everything
	}
}

// giveUp gives back the place that is kept for the name, if one is: it would be in the way
// of this client's own request, which does not go through the local line.
func (t *lineTable) giveUp(ctx context.Context, name string) {
	l := t.stayAt(name)
	if l == nil {
		return
	}
	defer t.part(l)
	l.mu.Lock()
	if l.state != lineKept {
		l.mu.Unlock()
		return
	}
	p := l.place
	l.state, l.place = lineDriving, nil
	l.mu.Unlock()
	_ = l.leave(ctx, p) // else it goes on in the background
}
