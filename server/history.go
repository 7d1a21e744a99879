package server

import (
	"container/list"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// history is what this server has seen of lines since it began to look: how long waits and
// holds took, the last grants, and how many waited when. It is worked out of the one watch that
// all listeners share, and is kept in memory only: another server, and this one when it is
// started again, has seen other things. Nothing is granted or ended by it.
type history struct {
	now   func() time.Time
	began time.Time

	mu    sync.Mutex
	known bool // a snapshot has come
	lines map[string]*list.Element
	order *list.List // of *pastLine, what changed last is first
}

// maxPastLines bounds how many lines are remembered: the ones that changed last. One that
// is busy takes up to 6 KiB, one that is only held some 500 bytes.
const maxPastLines = 1 << 14

func newHistory(now func() time.Time) *history {
	return &history{now: now, began: now(), lines: make(map[string]*list.Element), order: list.New()}
}

// take takes in what the watch told. A full snapshot that is not the first one comes after
// the watch broke: what it shows has happened, and nobody knows when.
func (h *history) take(snap driver.Snapshot) {
	if h == nil {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	told := make(map[string]bool, len(snap.Lines))
	for _, l := range snap.Lines {
		told[l.Name] = true
		h.lineLocked(l, now, !snap.Full)
	}
	if snap.Full {
		for name, e := range h.lines {
			if past := e.Value.(*pastLine); !told[name] && len(past.standing) > 0 {
				past.take(driver.Line{Name: name}, now, false)
			}
		}
	}
	h.known = true
}

// lineLocked takes in one line. exact says that it changed just now.
func (h *history) lineLocked(l driver.Line, now time.Time, exact bool) {
	if len(l.Places) > 0 && l.Places[0].Kind == driver.KindPresence {
		return // nobody waits there, or gets anything
	}
	e, ok := h.lines[l.Name]
	if !ok {
		if len(l.Places) == 0 {
			return
		}
		e = h.order.PushFront(newPastLine(l.Name))
		h.lines[l.Name] = e
		h.forgetLocked()
	}
	h.order.MoveToFront(e)
	e.Value.(*pastLine).take(l, now, exact)
}

func (h *history) forgetLocked() {
	for h.order.Len() > maxPastLines {
		oldest := h.order.Back()
		delete(h.lines, oldest.Value.(*pastLine).name)
		h.order.Remove(oldest)
	}
}

// with calls f for a line, if it is remembered.
func (h *history) with(name string, f func(*pastLine)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if e, ok := h.lines[name]; ok {
		f(e.Value.(*pastLine))
	}
}
