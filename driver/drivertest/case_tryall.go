package drivertest

import (
	"errors"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

func tryAllCases() []testCase {
	return []testCase{
		{
			name:   "tryall/all",
			reason: "Several free lines are taken in one step, each with a place of its own.",
			needs:  tryAll,
			run:    tryAllAll,
		},
		{
			name: "tryall/none",
			reason: "When one of the lines is taken, none is entered. A half that stays behind blocks others " +
				"for nothing, and two halves deadlock (S55).",
			needs: tryAll,
			run:   tryAllNone,
		},
		{
			name:   "tryall/again",
			reason: "The answer may be lost: to try again returns the places that stand.",
			needs:  tryAll,
			run:    tryAllAgain,
		},
		{
			name:   "tryall/at-once",
			reason: "Processes that want overlapping lines at the same moment: nobody gets a half (S55).",
			needs:  tryAll,
			run:    tryAllAtOnce,
		},
		{
			name:   "tryall/bad-input",
			reason: "One bad claim, or two for one line, and nothing at all is entered.",
			needs:  tryAll,
			run:    tryAllBadInput,
		},
		{
			name:   "tryall/refused",
			reason: "A store without transactions must not pretend: two claims one after the other are not one step.",
			needs:  not(tryAll),
			run:    tryAllRefused,
		},
	}
}

func (a *actor) allTrier() driver.AllTrier {
	a.Helper()
	trier, ok := a.ses.(driver.AllTrier)
	if !ok {
		a.Fatal("the driver declares TryAll and its sessions do not implement it")
	}
	return trier
}

func mutexes(lines ...string) []driver.Claim {
	claims := make([]driver.Claim, len(lines))
	for i, line := range lines {
		claims[i] = mutex(line)
	}
	return claims
}

// takeAll enters all claims, which are free.
func (a *actor) takeAll(claims []driver.Claim) []driver.Place {
	a.Helper()
	places, err := a.allTrier().TryAll(a.ctx(), claims)
	a.must(err, "TryAll of %d free lines", len(claims))
	if len(places) != len(claims) {
		a.Fatalf("TryAll returned %d places for %d claims", len(places), len(claims))
	}
	for i, p := range places {
		if p.ID != claims[i].ID || p.Line != claims[i].Line || !p.Granted {
			a.Errorf("TryAll returned %+v for the claim %+v", p, claims[i])
		}
	}
	return places
}

func tryAllAll(e *env) {
	a, b := e.actor(), e.actor()
	claims := mutexes("c", "a", "b")
	if e.Shared {
		claims = append(claims, reader("catalog"), permits("gpu", 4, 3))
		b.take(reader("catalog"))
		b.take(permits("gpu", 4, 1))
	}
	places := a.takeAll(claims)
	for i, p := range places[:3] {
		b.stands(claims[i].Line, p)
		b.busy(mutex(claims[i].Line))
	}
	a.has(places...)
	for _, p := range places {
		a.leave(p)
	}
	a.has()
}

func tryAllNone(e *env) {
	a, b := e.actor(), e.actor()
	taken := b.take(mutex("b"))
	claims := mutexes("a", "b", "c")
	_, err := a.allTrier().TryAll(e.ctx(), claims)
	e.fails(err, driver.ErrBusy, "TryAll with one line that is taken")
	var busy *driver.BusyError
	if !errors.As(err, &busy) || busy.Head.ID != taken.ID || busy.Head.Line != "b" {
		e.Errorf("got the error %v, want a *BusyError about the holder of b", err)
	}
	b.stands("a")
	b.stands("b", taken)
	b.stands("c")
	a.has()
	b.leave(taken)
	a.takeAll(claims)
}

func tryAllAgain(e *env) {
	a := e.actor()
	claims := mutexes("a", "b")
	first := a.takeAll(claims)
	second := a.takeAll(claims)
	for i := range first {
		if second[i].Order != first[i].Order {
			e.Errorf("tried again: got the order %d in %q, want %d", second[i].Order, first[i].Line, first[i].Order)
		}
		a.stands(first[i].Line, first[i])
	}
}

func tryAllAtOnce(e *env) {
	actors := e.actors(3)
	wanted := [][]string{{"x", "y"}, {"y", "z"}, {"z", "x"}}
	for range e.rounds(50) {
		claims := make([][]driver.Claim, len(actors))
		calls := make([]func() error, len(actors))
		for i, a := range actors {
			claims[i] = mutexes(wanted[i]...)
			trier := a.allTrier()
			calls[i] = func() error { _, err := trier.TryAll(e.ctx(), claims[i]); return err }
		}
		winner := -1
		for i, err := range e.together(calls...) {
			switch {
			case err != nil:
				e.fails(err, driver.ErrBusy, "TryAll beside others")
			case winner >= 0:
				e.Fatal("two tries that overlap both succeeded")
			default:
				winner = i
			}
		}
		standing := len(actors[0].line("x").Places) + len(actors[0].line("y").Places) + len(actors[0].line("z").Places)
		if winner < 0 {
			if !e.TryMayFailSpuriously {
				e.Fatal("all tries failed, each because of another that failed")
			}
			if standing != 0 {
				e.Fatalf("%d places stand after tries that failed", standing)
			}
			continue
		}
		if standing != 2 {
			e.Fatalf("%d places stand after one try of two lines succeeded", standing)
		}
		for _, c := range claims[winner] {
			e.must(actors[winner].ses.Leave(e.ctx(), c.Line, c.ID), "Leave")
		}
	}
}

func tryAllBadInput(e *env) {
	a := e.actor()
	bad := mutex("b")
	bad.Units = 2
	large := mutex("b")
	large.Data = jsonOf("a", driver.MaxData+1)
	for what, refused := range map[string]struct {
		claims []driver.Claim
		kind   error
	}{
		"a bad claim":         {[]driver.Claim{mutex("a"), bad}, driver.ErrInvalid},
		"two of one line":     {mutexes("a", "b", "a"), driver.ErrInvalid},
		"data of 4097 bytes":  {[]driver.Claim{mutex("a"), large}, driver.ErrTooLarge},
		"a name that is none": {mutexes("a", ""), driver.ErrInvalid},
	} {
		_, err := a.allTrier().TryAll(e.ctx(), refused.claims)
		e.fails(err, refused.kind, "TryAll with %s", what)
		a.stands("a")
		a.stands("b")
	}
	if e.Shared {
		holder := a.take(permits("b", 4, 1))
		_, err := a.allTrier().TryAll(e.ctx(), mutexes("a", "b"))
		e.fails(err, driver.ErrMismatch, "TryAll with a line of another kind")
		a.stands("a")
		a.stands("b", holder)
		a.leave(holder)
	}
	var many []string
	for i := range 10 {
		many = append(many, "many/"+strconv.Itoa(i))
	}
	a.takeAll(mutexes(many...))
}

func tryAllRefused(e *env) {
	a := e.actor()
	trier, ok := a.ses.(driver.AllTrier)
	if !ok {
		return // not to have the method at all is the plainest refusal
	}
	_, err := trier.TryAll(e.ctx(), mutexes("a", "b"))
	e.fails(err, driver.ErrUnsupported, "TryAll")
	a.stands("a")
}
