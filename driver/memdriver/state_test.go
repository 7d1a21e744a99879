package memdriver

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Any sequence of steps keeps the state sound, wakes exactly those whom it concerns,
// and keeps the stability lemma: once granted, granted until removed.
func TestRandomSteps(t *testing.T) {
	t.Parallel()
	for seed := range uint64(300) {
		w := newWalk(seed)
		for n := range 400 {
			what := w.step()
			if err := errors.Join(w.failed, inspect(&w.st), w.checkWakes(), w.checkHistory()); err != nil {
				t.Fatalf("seed %d, step %d, %s: %v", seed, n, what, err)
			}
		}
	}
}

// walk takes random steps and remembers what callers were told.
type walk struct {
	rnd    *rand.Rand
	st     state
	made   int
	failed error
	all    []*record // also those that are lost
	waits  map[*place]<-chan struct{}
	seen   map[string]driver.Place
	// orders are the greatest of each line so far.
	orders map[string]uint64
}

func newWalk(seed uint64) *walk {
	return &walk{
		rnd: rand.New(rand.NewPCG(seed, 1)), st: newState(),
		waits: make(map[*place]<-chan struct{}),
		seen:  make(map[string]driver.Place), orders: make(map[string]uint64),
	}
}

// walkLines are the uses of a line that a walk mixes, each with the most units it
// asks for. The kind is the line's name.
func walkLines() []driver.Claim {
	return []driver.Claim{
		{Kind: driver.KindMutex, Capacity: 1, Units: 1},
		{Kind: driver.KindSemaphore, Capacity: 4, Units: 3},
		{Kind: driver.KindRW, Capacity: driver.MaxCapacity, Units: driver.MaxCapacity},
		{Kind: driver.KindPresence, Capacity: 1},
	}
}

func (w *walk) claim() driver.Claim {
	lines := walkLines()
	c := lines[w.rnd.IntN(len(lines))]
	c.Line = string(c.Kind)
	switch w.rnd.IntN(10) {
	case 0: // a stranger
		c.Kind = driver.KindElection
	case 1:
		c.Units = 0
	case 2, 3, 4:
		c.Units = min(c.Units, 1)
	default:
		c.Units = min(c.Units, 1+w.rnd.Int64N(3))
		if c.Kind == driver.KindRW && w.rnd.IntN(2) == 0 {
			c.Units = c.Capacity
		}
	}
	w.made++
	c.ID, c.Try = fmt.Sprint(w.made), w.rnd.IntN(6) == 0
	return c
}

func (w *walk) session() *record {
	if len(w.all) < 3 || w.rnd.IntN(20) == 0 {
		ttl := time.Duration(5+w.rnd.IntN(50)) * time.Second
		lag := time.Duration(w.rnd.IntN(2)) * time.Second
		w.all = append(w.all, w.st.open(driver.SessionOptions{TTL: ttl}, lag, false))
	}
	return w.all[w.rnd.IntN(len(w.all))]
}

// place picks one that stands.
func (w *walk) place() *place {
	var places []*place
	for _, c := range walkLines() {
		if l := w.st.lines[string(c.Kind)]; l != nil {
			for p := l.head; p != nil; p = p.behind {
				places = append(places, p)
			}
		}
	}
	if len(places) == 0 {
		return nil
	}
	return places[w.rnd.IntN(len(places))]
}

func (w *walk) step() string {
	w.st.advance(w.st.now + time.Duration(w.rnd.IntN(300))*time.Millisecond)
	if w.rnd.IntN(5) < 3 {
		return w.enter()
	}
	p := w.place()
	if p == nil {
		return "idle"
	}
	return w.touch(p)
}

func (w *walk) enter() string {
	r := w.session()
	switch w.rnd.IntN(12) {
	case 0:
		w.made++
		id := fmt.Sprint(w.made)
		w.st.put(&place{Place: driver.Place{Line: "mutex", ID: id, Foreign: true}})
		return "foreign " + id
	case 1:
		a, b := w.claim(), w.claim()
		if a.Line != b.Line {
			_, _ = w.st.tryAll(r, []driver.Claim{a, b})
		}
		return "try all"
	case 2:
		_, _ = w.st.renew(r)
		return "renew"
	}
	c := w.claim()
	p, err := w.st.enter(r, &c)
	if err == nil && c.Try && !p.Granted {
		w.failed = fmt.Errorf("try %s waits", c.ID)
	}
	return fmt.Sprintf("enter %s %s %d: %v", c.Line, c.ID, c.Units, err)
}

func (w *walk) touch(p *place) string {
	what := p.Line + " " + p.ID
	switch w.rnd.IntN(8) {
	case 0:
		_ = w.st.evict(p.Line, p.ID, driver.Eviction{Reason: "test", Force: w.rnd.IntN(3) == 0})
		return "evict " + what
	case 1:
		if p.session != nil && w.rnd.IntN(4) == 0 {
			w.st.end(p.session)
			return "end session of " + what
		}
	case 2, 3:
		if p.session != nil {
			u := p.view()
			u.Units = w.rnd.Int64N(u.Units + 1)
			_, _ = w.st.update(p.session, &u)
			return fmt.Sprintf("update %s to %d", what, u.Units)
		}
	case 4:
		if p.session != nil {
			c := w.claim()
			c.Line = p.Line
			c.Capacity, c.Units = p.Capacity, min(c.Units, p.Capacity)
			_, _ = w.st.swap(p.session, p.ID, &c)
			return "swap " + what
		}
	case 5, 6:
		if p.session != nil && !p.Granted {
			_, w.waits[p], _ = w.st.look(p.session, p.Line, p.ID)
			return "wait " + what
		}
	}
	w.st.remove(p)
	return "remove " + what
}

// checkWakes: a waiter was woken exactly if its place is granted or gone.
func (w *walk) checkWakes() error {
	for p, wake := range w.waits {
		concerned := p.Granted || w.st.lines[p.Line].find(p.ID) != p
		select {
		case <-wake:
			if delete(w.waits, p); !concerned {
				return fmt.Errorf("%s was woken and still waits", p.ID)
			}
		default:
			if concerned {
				return fmt.Errorf("%s was not woken", p.ID)
			}
		}
	}
	return nil
}

// checkHistory: whoever was granted is, an order stays, and a new place has a
// greater one than its line ever saw.
func (w *walk) checkHistory() error {
	for _, l := range w.st.matching(driver.Query{Prefix: true}) {
		for _, p := range l.Places {
			before, known := w.seen[p.ID]
			switch {
			case p.Foreign:
				continue
			case !known && p.Order <= w.orders[p.Line]:
				return fmt.Errorf("%s is new and has order %d after %d", p.ID, p.Order, w.orders[p.Line])
			case known && p.Order != before.Order:
				return fmt.Errorf("%s had order %d and has %d", p.ID, before.Order, p.Order)
			case before.Granted && !p.Granted:
				return fmt.Errorf("%s is not granted any more", p.ID)
			}
			w.seen[p.ID] = p
			w.orders[p.Line] = max(w.orders[p.Line], p.Order)
		}
	}
	return nil
}
