package main

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// hold is a lock that a worker was granted.
//
// Its belief, as it is written down, is never longer than it was. It begins when Lock
// has returned, and is in the file before the hold is used. While it lasts the hold is
// asked again and again; each time the moment is read before the question. When it has
// ended, without a word perhaps, it is certain up to the last answer only.
type hold struct {
	*call
	lock  *holdgate.Hold
	token uint64

	mu    sync.Mutex
	shown time.Duration // the last moment at which it was certainly held
	ended bool          // the worker does not believe in it any more
}

// granted notes a grant, and sees to it that its end is noted too. It returns nil if the
// hold had ended before the worker had a look at it.
func (c *call) granted(lock *holdgate.Hold) *hold {
	h := &hold{call: c, lock: lock, token: uint64(lock.Token())}
	h.shown = process.Now()
	if err := lock.Err(); err != nil {
		c.record(history.Event{Kind: history.Refuse, Why: "lost at once: " + why(err)})
		return nil
	}
	c.record(history.Event{
		Kind: history.Grant, At: h.shown, Place: lock.PlaceID(), Token: h.token,
	})
	context.AfterFunc(lock.Context(), h.lost)
	return h
}

// lost notes that the hold has ended, unless the worker ended it itself.
func (h *hold) lost() {
	cause := context.Cause(h.lock.Context())
	if !errors.Is(cause, holdgate.ErrLost) && !errors.Is(cause, holdgate.ErrClosed) {
		return // nil, or it was released
	}
	if shown, first := h.end(); first {
		h.record(history.Event{Kind: history.Lost, Since: shown, Why: why(cause)})
	}
}

// release notes that the worker is about to release the lock: before it does.
func (h *hold) release() {
	h.lost()
	h.end()
	h.record(history.Event{Kind: history.Release})
}

// end ends the worker's belief, once, and returns until when it was certain.
func (h *hold) end() (shown time.Duration, first bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	first = !h.ended
	h.ended = true
	return h.shown, first
}

// holds asks the hold whether it is held, and notes it if so.
func (h *hold) holds() bool {
	asked := process.Now()
	return h.lock.Err() == nil && h.showed(asked)
}

// showed notes that the hold said that it is held, after this moment. It reports false when
// the worker was told otherwise meanwhile.
func (h *hold) showed(asked time.Duration) bool {
	h.mu.Lock()
	believed := !h.ended
	if believed {
		h.shown = asked
	}
	h.mu.Unlock()
	if believed {
		h.record(history.Event{Kind: history.Held, At: asked})
	}
	return believed
}

// spin computes for a while, and goes on only as long as the lock is held. Code that was in
// the middle of that when its process was stopped is the first to run again.
func (h *hold) spin(d time.Duration) {
	shown := process.Now()
	for end := shown + d; shown < end; {
		asked := process.Now()
		if h.lock.Err() != nil {
			return
		}
		shown = asked
	}
	h.showed(shown)
}

// work holds the lock for a while, and writes to what it protects.
func (h *hold) work() {
	length := h.dice.About(100*time.Microsecond, h.Habits.Hold)
	if h.dice.Chance(h.Habits.LongHold) {
		length = h.dice.Within(h.TTL/4, h.Habits.Long)
	}
	for end := time.Now().Add(length); h.stormy() && time.Now().Before(end); {
		if !h.holds() {
			break
		}
		if h.dice.Chance(0.2) {
			h.write()
		}
		rest := h.dice.About(200*time.Microsecond, 4*time.Millisecond)
		if h.dice.Chance(h.Habits.Spin) {
			h.spin(rest)
		} else {
			h.pause(rest)
		}
	}
	if h.holds() {
		h.write()
		return
	}
	h.lost()
	h.pause(h.dice.Within(0, 2*history.Guard(h.TTL))) // to stop what it does
}

// write sends a write to the resource. It arrives later, whatever the hold is by then.
func (h *hold) write() {
	late := time.Duration(0)
	if h.dice.Chance(0.2) {
		late = h.dice.About(time.Millisecond, h.TTL)
	}
	h.writes.Add(1)
	time.AfterFunc(late, func() {
		defer h.writes.Done()
		_ = h.pen.Write(h.name, h.id, h.token) // it fails when the run is over
	})
}
