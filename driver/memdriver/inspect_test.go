package memdriver

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// inspect checks all that must hold between two steps: what is kept agrees with
// what it is kept instead of.
func inspect(st *state) error {
	for name, l := range st.lines {
		if err := inspectLine(st, name, l); err != nil {
			return fmt.Errorf("line %q: %w", name, err)
		}
	}
	for id, r := range st.sessions {
		if err := inspectSession(st, r); err != nil {
			return fmt.Errorf("session %s: %w", id, err)
		}
	}
	for i, d := range st.deadlines.heap {
		switch {
		case d.index != i:
			return fmt.Errorf("deadline %d believes it is number %d", i, d.index)
		case d.at < st.deadlines.first().at:
			return errors.New("the first deadline is not the earliest")
		}
	}
	return nil
}

func inspectLine(st *state, name string, l *line) error {
	if l.head == nil {
		return errors.New("kept though empty")
	}
	// The grants, by the contract's own rule.
	want := st.whole(name)
	want.Grant()

	var count, foreign int
	var total, ahead int64
	var waiting *place
	var before *place
	for p := l.head; p != nil; before, p = p, p.behind {
		switch {
		case p.before != before || p.line != l:
			return fmt.Errorf("%s is linked wrongly", p.ID)
		case before != nil && p.seq <= before.seq:
			return fmt.Errorf("%s does not come after the place ahead", p.ID)
		case p.Granted != want.Places[count].Granted:
			return fmt.Errorf("%s is granted: %v, by the rule: %v", p.ID, p.Granted, want.Places[count].Granted)
		case p.Granted && p.wake != nil:
			return fmt.Errorf("%s is granted and its waiter sleeps", p.ID)
		case l.find(p.ID) != p:
			return fmt.Errorf("%s is not found", p.ID)
		case !p.Foreign && (p.Kind != l.kind || p.Capacity != l.capacity):
			return fmt.Errorf("%s is of another kind", p.ID)
		case !p.Foreign && st.sessions[p.Session] != p.session:
			return fmt.Errorf("%s lives without its session", p.ID)
		}
		if waiting == nil && !p.Granted {
			waiting = p
		}
		if waiting == nil {
			ahead += p.Units
		}
		if p.Foreign {
			foreign++
		}
		count++
		total += p.Units
	}
	switch {
	case l.tail != before:
		return errors.New("the tail is not the last")
	case l.next != waiting:
		return errors.New("next is not the first that waits")
	case l.count != count || l.foreign != foreign || l.total != total || l.ahead != ahead:
		return fmt.Errorf("counts %d %d %d %d, there are %d %d %d %d",
			l.count, l.foreign, l.total, l.ahead, count, foreign, total, ahead)
	case l.index != nil && len(l.index) != count:
		return fmt.Errorf("the index has %d of %d", len(l.index), count)
	}
	return nil
}

func inspectSession(st *state, r *record) error {
	switch {
	case r.lost:
		return errors.New("kept though lost")
	case r.life.at <= st.now:
		return errors.New("kept though its time has come")
	}
	listed := 0
	for p := r.newest; p != nil; p = p.older {
		if p.session != r || st.lines[p.Line].find(p.ID) != p {
			return fmt.Errorf("%s is listed and does not stand", p.ID)
		}
		listed++
	}
	for _, l := range st.lines {
		for p := l.head; p != nil; p = p.behind {
			if p.session == r {
				listed--
			}
		}
	}
	if listed != 0 {
		return errors.New("does not list all its places")
	}
	return nil
}

// Every rule of inspect has to be able to fail.
func TestInspectFindsWhatIsWrong(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(*state, *line, *record){
		"grant too early":    func(_ *state, l *line, _ *record) { l.tail.Granted = true },
		"grant forgotten":    func(_ *state, l *line, _ *record) { l.head.Granted = false },
		"sleeping waiter":    func(_ *state, l *line, _ *record) { l.head.wake = make(chan struct{}) },
		"next too far":       func(_ *state, l *line, _ *record) { l.next = l.tail },
		"units ahead":        func(_ *state, l *line, _ *record) { l.ahead++ },
		"total":              func(_ *state, l *line, _ *record) { l.total-- },
		"count":              func(_ *state, l *line, _ *record) { l.count++ },
		"foreign":            func(_ *state, l *line, _ *record) { l.foreign++ },
		"tail":               func(_ *state, l *line, _ *record) { l.tail = l.head },
		"link":               func(_ *state, l *line, _ *record) { l.tail.before = l.head },
		"order":              func(_ *state, l *line, _ *record) { l.tail.seq = l.head.seq },
		"kind":               func(_ *state, l *line, _ *record) { l.kind = driver.KindElection },
		"index":              func(_ *state, l *line, _ *record) { l.index = map[string]*place{} },
		"empty line":         func(st *state, _ *line, _ *record) { st.lines["empty"] = &line{} },
		"dead session":       func(_ *state, _ *line, r *record) { r.lost = true },
		"session expired":    func(st *state, _ *line, _ *record) { st.now += time.Hour },
		"session forgotten":  func(st *state, _ *line, r *record) { delete(st.sessions, r.id) },
		"place not listed":   func(_ *state, l *line, r *record) { r.forget(l.tail) },
		"place not standing": func(_ *state, l *line, _ *record) { l.unlink(l.tail) },
		"heap index":         func(st *state, _ *line, _ *record) { st.deadlines.heap[0].index = 7 },
		"heap order":         func(_ *state, _ *line, r *record) { r.life.at += time.Hour },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			st := newState()
			r := st.open(driver.SessionOptions{TTL: time.Minute}, 0, false)
			st.open(driver.SessionOptions{TTL: 2 * time.Minute}, 0, false)
			for n := range 3 {
				c := driver.Claim{Line: "l", ID: fmt.Sprint(n), Kind: driver.KindMutex, Capacity: 1, Units: 1}
				if _, err := st.enter(r, &c); err != nil {
					t.Fatal(err)
				}
			}
			if err := inspect(&st); err != nil {
				t.Fatalf("a sound state: %v", err)
			}
			spoil(&st, st.lines["l"], r)
			if err := inspect(&st); err == nil {
				t.Error("got no complaint about a spoiled state")
			}
		})
	}
}
