package holdgate

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// localLine is where the goroutines of this process stand in line for one name.
// Together they have one place in the store's line, and pass a grant on among
// themselves for a bounded time (I6).
//
// At any moment at most one goroutine drives it, that is, talks to the store about
// its place: the first caller of Lock, a releasing holder, or drive. The state says
// whether one does:
//
//	idle    -> driving   somebody wants the lock
//	driving -> held      the place was granted, and given to the first in line
//	held    -> held      passed on locally
//	held    -> driving   the place is left, or goes to the end of the store's line
//	driving -> idle      nobody wants it, and no place is left
//
// and with Options.Linger
//
//	held    -> kept      nobody wants it now, here or elsewhere
//	kept    -> held      somebody here wants it again
//	kept    -> driving   somebody elsewhere does, or nobody did for so long
type localLine struct {
	client *Client
	claim  driver.Claim
	users  int // guarded by the table's mutex

	mu    sync.Mutex
	state lineState
	queue waitQueue
	place *ownPlace // the place of this process, while there is one
	swap  bool      // the place was held long enough: it goes to the end first
	stop  func()    // ends the driver's wait when nobody waits any more

	grants int           // given on this place
	first  time.Duration // when the first of them was given

	stopReport context.CancelFunc // ends what tells Options.OnWait, nil when nothing does

	lingering
}

type lineState int

const (
	lineIdle lineState = iota
	lineDriving
	lineHeld
	lineKept
)

func newLocalLine(c *Client, claim driver.Claim) *localLine {
	claim.Try = false
	return &localLine{client: c, claim: claim}
}

// errPassed ends the driver's wait when nobody is in the local line any more.
var errPassed = errors.New("nobody waits any more")

// lock waits until the caller is given the lock.
func (l *localLine) lock(ctx context.Context, try bool) (*Hold, error) {
	l.mu.Lock()
	if l.state == lineKept {
		if h := l.retakeLocked(ctx); h != nil {
			l.mu.Unlock()
			return h, nil
		}
	}
	if l.state == lineIdle {
		l.state = lineDriving
		l.mu.Unlock()
		return l.lead(ctx, try)
	}
	if try && l.place != nil && l.state != lineKept {
		defer l.mu.Unlock()
		return nil, l.busyLocked()
	}
	w := l.client.newWaiter(ctx, try)
	l.queue.pushBack(w)
	if l.state == lineKept { // for long enough
		l.swap = true
		l.driveLocked()
	}
	l.reportLocked()
	l.mu.Unlock()
	return l.await(ctx, w)
}

// lead takes a place for a caller that came first. It needs no other goroutine as
// long as the place is granted at once.
func (l *localLine) lead(ctx context.Context, try bool) (*Hold, error) {
	claim := l.claim
	claim.Try = try
	p, err := l.client.enter(ctx, claim, l)
	l.mu.Lock()
	if err != nil {
		l.restLocked()
		l.mu.Unlock()
		return nil, err
	}
	l.adoptLocked(p)
	if p.granted() {
		if h, err := l.grantLocked(ctx); err == nil {
			l.refuseTriesLocked()
			l.mu.Unlock()
			return h, nil
		}
	}
	w := l.client.newWaiter(ctx, try)
	l.queue.pushFront(w)
	l.reportLocked()
	l.driveLocked()
	l.mu.Unlock()
	return l.await(ctx, w)
}

// await waits for what becomes of w.
func (l *localLine) await(ctx context.Context, w *waiter) (*Hold, error) {
	defer l.client.recycle(w)
	if s := l.client.live.Load(); s != nil {
		s.tellLater(heldAround(ctx))
	}
	select {
	case r := <-w.result:
		return r.hold, r.err
	case <-ctx.Done():
	}
	l.mu.Lock()
	if l.queue.remove(w) {
		l.calmLocked()
		l.mu.Unlock()
		return nil, context.Cause(ctx)
	}
	l.mu.Unlock()
	r := <-w.result // it was decided before the context ended
	return r.hold, r.err
}

// release passes the lock on, or gives the place back.
func (l *localLine) release(ctx context.Context, h *Hold) error {
	l.mu.Lock()
	p := h.place
	if l.place != p || l.state != lineHeld {
		l.mu.Unlock() // the place ended under this hold, and the line went on
		return errRemoved
	}
	if !l.queue.empty() {
		defer l.mu.Unlock()
		if !l.passLocked() {
			l.swap = true
			l.driveLocked()
		}
		return nil
	}
	if l.keepLocked() {
		l.mu.Unlock()
		return nil
	}
	l.state, l.place = lineDriving, nil
	l.mu.Unlock()
	return l.leave(ctx, p)
}

// leave gives back a place that the line has let go of. Whoever came meanwhile needs another.
func (l *localLine) leave(ctx context.Context, p *ownPlace) error {
	err := p.leave(ctx)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.restLocked()
	return err
}

// passLocked gives the lock to the next goroutine without asking the store, if the
// bound allows and the place may still be believed.
func (l *localLine) passLocked() bool {
	return l.servesLocked() && l.grantFrontLocked() == nil
}

// placeEnded is called when the place was lost: those in line need another. A
// driver finds out by itself.
func (l *localLine) placeEnded(p *ownPlace) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.place == p && (l.state == lineHeld || l.state == lineKept) {
		l.place = nil
		l.restLocked()
	}
}

// adoptLocked makes p the place of the line.
func (l *localLine) adoptLocked(p *ownPlace) {
	l.place, l.swap = p, false
	l.grants = 0
	if !p.granted() {
		l.refuseTriesLocked() // it waits, and they do not
	}
}

// grantFrontLocked gives the lock to the first in line.
func (l *localLine) grantFrontLocked() error {
	w := l.queue.front()
	h, err := l.grantLocked(w.ctx)
	if err != nil {
		return err
	}
	l.queue.remove(w)
	w.result <- outcome{hold: h}
	l.refuseTriesLocked()
	return nil
}

// grantLocked makes the next hold of the place. Its number within the place is part of
// its token, so that each grant has a larger one.
func (l *localLine) grantLocked(ctx context.Context) (*Hold, error) {
	h := newHold(ctx, l.place, l, l.grants)
	if err := l.place.grant(h); err != nil {
		return nil, err
	}
	if l.grants == 0 {
		l.first = h.since
	}
	l.grants++
	l.state = lineHeld
	return h, nil
}

// refuseTriesLocked tells those who only tried, while it was not known how the line
// stands, that they would have to wait.
func (l *localLine) refuseTriesLocked() {
	for w := range l.queue.tries() {
		l.queue.remove(w)
		w.result <- outcome{err: l.busyLocked()}
	}
	l.calmLocked()
}

// restLocked ends the work of a driver that has no place: somebody else takes over
// when there are waiters.
func (l *localLine) restLocked() {
	if l.queue.empty() {
		l.state = lineIdle
		return
	}
	l.driveLocked()
}

// calmLocked stops what is done for waiters when the last one has left.
func (l *localLine) calmLocked() {
	if !l.queue.empty() {
		return
	}
	if l.stop != nil {
		l.stop()
	}
	if l.stopReport != nil {
		l.stopReport()
		l.stopReport = nil
	}
}

// busyLocked is what a try is told while this process has a place.
func (l *localLine) busyLocked() error {
	holder := l.place.last()
	holder.Line, holder.Owner = l.claim.Line, l.client.opts.Owner
	if !holder.Granted {
		holder = driver.Place{Line: l.claim.Line} // it waits too, and does not know for whom
	}
	return &driver.BusyError{Head: holder, Ahead: 1 + l.queue.len()}
}
