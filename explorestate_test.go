package holdgate_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/holdgate/holdgate"
)

// What is asked of every state, and how two states are known to be the same.

// placeName is what world.place gives.
var placeName = regexp.MustCompile(`p\d+`)

// judge says what is wrong with the state, "" when nothing is.
func (w *world) judge() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.wrong != "" {
		return w.wrong
	}
	var believe []string
	for _, a := range w.actor {
		if a.hold != nil && !a.proc.paused && a.hold.Context().Err() == nil {
			believe = append(believe, a.name)
		}
	}
	if len(believe) > 1 {
		return fmt.Sprintf("%v believe that they hold", believe)
	}
	for _, p := range w.procs {
		if n := p.client.PlacesToStay(); n > 1 {
			return fmt.Sprintf("process %s has %d places that it does not leave", p.name, n)
		}
	}
	return ""
}

// judgeEnd says what is wrong when nobody has anything to do any more.
func (w *world) judgeEnd() string {
	for _, a := range w.actor {
		if !a.gone {
			return fmt.Sprintf("%s waits for ever", a.name)
		}
	}
	if left := placesOf(w.store, lockExplored); len(left) > 0 {
		return fmt.Sprintf("%d places are left", len(left))
	}
	for _, p := range w.procs {
		if n, m := p.client.OwnPlaces(), p.client.LocalLines(); n > 0 || m > 0 {
			return fmt.Sprintf("process %s has %d places and %d local lines left", p.name, n, m)
		}
	}
	return ""
}

// state is all on which it depends what may happen from here: what the store has, what each
// process knows, who waits where, and what was promised. Times and random numbers are left
// out: no time passes while anybody can take a step.
func (w *world) state() string {
	var b strings.Builder
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, p := range placesOf(w.store, lockExplored) {
		fmt.Fprint(&b, p.Owner, w.place(p.ID), p.Granted, " ")
	}
	fmt.Fprintln(&b, len(w.store.Sessions()), w.expired, w.gaveUp, w.waiting)
	for _, p := range w.procs {
		fmt.Fprintln(&b, p.paused, p.client.DescribeLine(lockExplored, w.place))
	}
	for _, a := range w.actor {
		fmt.Fprint(&b, a.name, a.doing, a.gone, a.ctx.Err() != nil)
		if a.hold != nil {
			fmt.Fprint(&b, w.place(a.hold.PlaceID()), a.hold.Context().Err() != nil)
		}
		fmt.Fprintln(&b)
	}
	var busy []string
	for name := range w.gates {
		busy = append(busy, name)
	}
	for name := range w.inStore {
		busy = append(busy, name+" in the store")
	}
	slices.Sort(busy)
	fmt.Fprint(&b, busy)
	return renamed(b.String())
}

// renamed calls places by the order in which they are met in the state: how many there were
// before does not matter.
func renamed(state string) string {
	names := make(map[string]string)
	return placeName.ReplaceAllStringFunc(state, func(place string) string {
		if names[place] == "" {
			names[place] = fmt.Sprint("#", len(names))
		}
		return names[place]
	})
}

// idle lets time pass until somebody can take a step, or nobody will.
func (w *world) idle() {
	for range 20 {
		if len(w.steps()) > 0 {
			return
		}
		pass(100 * time.Millisecond)
	}
	pass(2 * holdgate.DefaultTTL)
}
