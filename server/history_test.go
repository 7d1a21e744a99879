package server

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// onlooker is a history with a clock that a test moves.
type onlooker struct {
	*history
	at time.Time
}

func lookOn() *onlooker {
	w := &onlooker{at: time.Unix(1_000_000, 0)}
	w.history = newHistory(func() time.Time { return w.at })
	w.tell(true)
	return w
}

func (w *onlooker) pass(d time.Duration) { w.at = w.at.Add(d) }

func (w *onlooker) tell(full bool, lines ...driver.Line) {
	w.take(driver.Snapshot{Lines: lines, Full: full})
}

// queue is a line of these places; the first one holds.
func queue(name string, ids ...string) driver.Line {
	l := driver.Line{Name: name}
	for i, id := range ids {
		l.Places = append(l.Places, driver.Place{Line: name, ID: id, Session: "s" + id, Owner: "o" + id, Kind: driver.KindMutex, Capacity: 1, Units: 1, Granted: i == 0})
	}
	return l
}

func (w *onlooker) timingOf(t *testing.T, name string) LineTiming {
	t.Helper()
	var got *LineTiming
	w.with(name, func(p *pastLine) { got = new(p.timing(w.at)) })
	if got == nil {
		t.Fatalf("%q is not remembered", name)
	}
	return *got
}

func (w *onlooker) shown(name string) History {
	var h History
	w.with(name, func(p *pastLine) { p.show(&h, w.at) })
	return h
}

// near reports whether a quantile is what it should be, or at most a fifth above.
func near(got *int64, want time.Duration) bool {
	return got != nil && *got >= want.Milliseconds() && *got <= want.Milliseconds()*119/100+1
}

func TestHistoryOfAHandOver(t *testing.T) {
	t.Parallel()
	w := lookOn()
	w.tell(false, queue("x", "a"))
	w.pass(time.Second)
	w.tell(false, queue("x", "a", "b"))
	w.pass(4 * time.Second)
	w.tell(false, queue("x", "b"))
	w.pass(2 * time.Second)

	got := w.timingOf(t, "x")
	if got.Grants != 2 || !near(got.Wait99, 4*time.Second) || !near(got.Hold50, 5*time.Second) {
		t.Errorf("2 grants, a wait of 4 s and a hold of 5 s are told as %+v, %v, %v", got, *got.Wait99, *got.Hold50)
	}
	if got.Held == nil || *got.Held != 2000 || got.Waiting != nil {
		t.Errorf("held %v, waiting %v; want 2000 and nobody", got.Held, got.Waiting)
	}
	h := w.shown("x")
	if len(h.Grants) != 1 || h.Grants[0].Owner != "oa" || h.Grants[0].Held != 5000 || h.Grants[0].Ended != 2000 || *h.Grants[0].Waited != 0 || h.Grants[0].Unsure {
		t.Errorf("grants %+v", h.Grants)
	}
	if len(h.Standing) != 1 || *h.Standing[0].Waited != 4000 || *h.Standing[0].Held != 2000 {
		t.Errorf("standing %+v", h.Standing)
	}
	if len(h.Points) != 3 || h.Points[1].Waiting != 1 || h.Points[2].Waiting != 0 {
		t.Errorf("points %+v", h.Points)
	}
}

// What stood there before the server looked, or changed while it could not, has no times.
func TestHistoryDoesNotGuess(t *testing.T) {
	t.Parallel()
	w := lookOn()
	w.tell(true, queue("x", "a", "b")) // the watch broke, and this is what it shows now
	w.pass(time.Second)
	w.tell(false, queue("x", "b"))
	got := w.timingOf(t, "x")
	if got.Grants != 1 || got.Wait50 != nil || got.Hold50 != nil {
		t.Errorf("of a hold and a wait that began unseen: %+v", got)
	}
	w.pass(time.Second)
	w.tell(true) // b has gone at some time
	if got := w.timingOf(t, "x"); got.Hold50 != nil || got.Held != nil {
		t.Errorf("of a hold that ended unseen: %+v", got)
	}
	h := w.shown("x")
	if len(h.Grants) != 1 || !h.Grants[0].Unsure || h.Grants[0].Waited != nil {
		t.Errorf("grants %+v, want one that is unsure", h.Grants)
	}
	if last := h.Points[len(h.Points)-1]; !last.Gap {
		t.Errorf("the last point %+v does not say that nobody looked", last)
	}
}

func TestHistoryLeavesOutGroups(t *testing.T) {
	t.Parallel()
	w := lookOn()
	l := queue("group", "a")
	l.Places[0].Kind = driver.KindPresence
	w.tell(false, l)
	w.with("group", func(*pastLine) { t.Error("a group has a history") })
}

// However many lines and grants there were, what is kept has a bound.
func TestHistoryIsBounded(t *testing.T) {
	t.Parallel()
	w := lookOn()
	for i := range maxPastLines + 10 {
		w.tell(false, queue(fmt.Sprintf("line %d", i), "a"))
	}
	if n := len(w.lines); n != maxPastLines || w.order.Len() != n {
		t.Errorf("%d lines are kept, %d in order, want %d", n, w.order.Len(), maxPastLines)
	}
	w.with("line 0", func(*pastLine) { t.Error("the oldest line was kept") })
	for i := range 40 * keptPoints {
		w.pass(time.Second)
		w.tell(false, queue("busy", fmt.Sprint(i), fmt.Sprint(i+1)))
		w.tell(false, queue("busy", fmt.Sprint(i+1)))
	}
	h := w.shown("busy")
	if len(h.Grants) != keptGrants || len(h.Points) > keptPoints || len(h.Points) < keptPoints/2 {
		t.Errorf("%d grants and %d points are kept", len(h.Grants), len(h.Points))
	}
	if oldest := h.Points[0].Ago; oldest < (30 * time.Minute).Milliseconds() {
		t.Errorf("the oldest point is %d ms old, of 64 minutes", oldest)
	}
	for _, p := range h.Points {
		if p.Peak != 1 {
			t.Fatalf("the peak at %d is %d: that one waited was lost", p.Ago, p.Peak)
		}
	}
}

func TestSpread(t *testing.T) {
	t.Parallel()
	var s spread
	if _, ok := s.quantile(0.5); ok {
		t.Error("nothing has a quantile")
	}
	for i := 1; i <= 1000; i++ {
		s.add(time.Duration(i) * time.Millisecond)
	}
	s.add(1000 * 24 * time.Hour) // beyond the last bucket
	for q, want := range map[float64]time.Duration{0: time.Millisecond, 0.5: 500 * time.Millisecond, 0.99: 990 * time.Millisecond} {
		got, ok := s.quantile(q)
		if !ok || got < want || float64(got) > 1.19*float64(want)+float64(time.Millisecond) {
			t.Errorf("quantile %v is %v, want %v or a little more", q, got, want)
		}
	}
	if got, _ := s.quantile(1); got < 20*24*time.Hour {
		t.Errorf("the longest is %v", got)
	}
	if s.add(0); s.counts[0] != 2 {
		t.Errorf("no time at all is in none of the buckets: %v", s.counts)
	}
}
