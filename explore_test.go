package holdgate_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
)

// Every interleaving of the local lines of two processes: the real code, driven step by step.
// It is searched depth first. A run takes the steps of a prefix, and goes on from there; every
// state that it meets for the first time leaves the other steps of that state to be taken
// by later runs. Where a state was met before, a run ends: what follows from there was
// searched then.

// search has what is left to be searched.
type search struct {
	what   explored
	seen   map[string]bool
	todo   [][]string
	runs   int
	ends   int
	passed int // grants that were passed on without asking the store
	lost   int // runs in which a holder or a waiter lost its session
}

func (s *search) run(t *testing.T) {
	t.Helper()
	s.seen, s.todo = make(map[string]bool), [][]string{nil}
	for len(s.todo) > 0 && !t.Failed() {
		prefix := s.todo[len(s.todo)-1]
		s.todo = s.todo[:len(s.todo)-1]
		s.runs++
		synctest.Test(t, func(t *testing.T) { s.follow(t, prefix) })
	}
}

// follow is one run.
func (s *search) follow(t *testing.T, prefix []string) {
	w := newWorld(t, s.what)
	defer w.end()
	defer s.count(w)
	synctest.Wait()
	var path []string
	for {
		w.idle()
		if wrong := w.judge(); wrong != "" {
			t.Fatal(told(wrong, path))
		}
		steps := w.steps()
		if len(steps) == 0 {
			s.ends++
			if wrong := w.judgeEnd(); wrong != "" {
				t.Fatal(told(wrong, path))
			}
			return
		}
		next := steps[0]
		switch done := len(path); {
		case done < len(prefix):
			if next = prefix[done]; !slices.Contains(steps, next) {
				t.Fatal(told(fmt.Sprintf("%q cannot be repeated, there is %q", next, steps), path))
			}
		default:
			state := w.state()
			if s.seen[state] {
				return
			}
			s.seen[state] = true
			for _, other := range steps[1:] {
				s.todo = append(s.todo, append(slices.Clone(path), other))
			}
		}
		path = append(path, next)
		w.take(next)
	}
}

// count notes what a run has reached.
func (s *search) count(w *world) {
	places := make(map[string]bool)
	for _, g := range w.grants {
		if places[g.place] {
			s.passed++
		}
		places[g.place] = true
	}
	if w.expired != "" {
		s.lost++
	}
}

// told is what went wrong, and how.
func told(wrong string, path []string) string {
	return fmt.Sprintf("%s, after\n\t%s", wrong, strings.Join(path, "\n\t"))
}

// TestExplore has two processes of two goroutines each take a lock, in every order there is,
// with at most one thing that goes wrong, at every point.
func TestExplore(t *testing.T) {
	t.Parallel()
	all, fewer := [][]int{{1, 1}, {1, 1}}, [][]int{{1, 1}, {1}}
	passing := holdgate.Options{Handoff: holdgate.Handoff{Grants: 2}}
	swapping := holdgate.Options{Handoff: holdgate.Handoff{Grants: 1}}
	for name, what := range map[string]explored{
		"passed on, one expiry":   {processes: all, options: passing, expiry: true},
		"passed on, one gives up": {processes: fewer, options: passing, givesUp: true},
		"swapped, one expiry":     {processes: fewer, options: swapping, expiry: true},
		"swapped, one gives up":   {processes: fewer, options: swapping, givesUp: true},
	} {
		t.Run(name, func(t *testing.T) {
			if underRace {
				what.processes = fewer // all of it takes ten times as long
			}
			s := search{what: what}
			begun := time.Now()
			s.run(t)
			t.Logf("%d states, %d runs, %d of them to an end, in %v", len(s.seen), s.runs, s.ends, time.Since(begun).Round(time.Millisecond))
			if s.ends == 0 || what.expiry && s.lost == 0 || what.options.Handoff.Grants > 1 && s.passed == 0 {
				t.Errorf("it does not get everywhere: %d ends, %d passed on, %d with a loss", s.ends, s.passed, s.lost)
			}
		})
	}
}
