package redisdriver

import (
	"sync"
	"time"
)

// sweeper looks after what expires, while somebody here waits for it: Redis does nothing
// by itself, and a holder that is dead does not either. It comes when the next deadline of
// all is due, mostly to find that it was moved. So a process that waits costs the store
// about one script per TTL, whatever the number of its waiters.
type sweeper struct {
	d *Driver
	// poke has a token when the next deadline may have come nearer.
	poke chan struct{}

	mu        sync.Mutex
	attending int  // who waits
	running   bool // it goes on after the last has gone, until it comes next
	wakes     time.Time
}

// longestRest is how long it stays away at most: for what nobody told it.
const longestRest = 30 * time.Second

// retrySweep is how long it waits when the store did not answer.
const retrySweep = 250 * time.Millisecond

func newSweeper(d *Driver) *sweeper { return &sweeper{d: d, poke: make(chan struct{}, 1)} }

// attend keeps the sweeper at work until done is called.
func (w *sweeper) attend() (done func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attending++
	if !w.running {
		w.running = w.d.task(w.run) // ends when nobody waits any more, or with the handle
	}
	return w.dismiss
}

func (w *sweeper) dismiss() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.attending--
}

func (w *sweeper) run() {
	deadlines := topic{name: w.d.keys.deadlines}
	w.d.feed.join(deadlines, w)
	defer w.d.feed.leave(deadlines, w)
	for goesOn := true; goesOn; {
		goesOn = w.rest(w.sweep()) && w.goesOn()
	}
}

func (w *sweeper) goesOn() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.running = w.attending > 0
	return w.running
}

// sweep removes what has expired, and returns when to come again.
func (w *sweeper) sweep() time.Duration {
	answer, err := w.d.call(w.d.ctx, newRequest(w.d.scripts.due, []string{w.d.keys.deadlines}))
	if err != nil {
		return retrySweep
	}
	next := time.Duration(answer.integer(0)) * time.Millisecond
	if next < 0 {
		return longestRest
	}
	return min(next, longestRest)
}

// rest waits, and reports whether the handle is still open.
func (w *sweeper) rest(d time.Duration) bool {
	w.mu.Lock()
	w.wakes = time.Now().Add(d)
	w.mu.Unlock()
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-w.poke:
		return true
	case <-w.d.ctx.Done():
		return false
	}
}

// told hears the time to live of what has just begun.
func (w *sweeper) told(_, ttl string) {
	ends := time.Now().Add(time.Duration(number(ttl)) * time.Millisecond)
	w.mu.Lock()
	sooner := ends.Before(w.wakes)
	w.mu.Unlock()
	if sooner {
		w.subscribed()
	}
}

// subscribed wakes it: what was told before was not heard.
func (w *sweeper) subscribed() {
	select {
	case w.poke <- struct{}{}:
	default:
	}
}

func (w *sweeper) cut() {}
