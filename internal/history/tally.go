package history

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Tally is how often something was reached: a storm that never reaches a state proves
// nothing about it.
type Tally map[string]int

// What Count counts, besides each reason of a loss.
const (
	Granted       = "granted"
	PassedOn      = "passed on locally"
	TakenAgain    = "kept and taken again"
	LateRefused   = "late write refused"
	TakenAway     = "granted place taken away"
	lostBecauseOf = "holder told: "
)

// LostBy is how a tally calls holds that were lost for a reason.
func LostBy(why string) string { return lostBecauseOf + why }

// Count adds what the holders saw.
func (n Tally) Count(events []Event) {
	last := make(map[string]string)                               // hold, by place
	asked, released := make(map[string]int), make(map[string]int) // by which event, by hold
	for i, e := range events {
		switch e.Kind {
		case Ask:
			asked[e.Hold] = i
		case Release:
			released[e.Hold] = i
		case Grant:
			n[Granted]++
			if before, ok := last[e.Place]; ok {
				n[PassedOn]++
				if at, ok := released[before]; ok && at < asked[e.Hold] && e.Capacity <= 1 {
					n[TakenAgain]++
				}
			}
			last[e.Place] = e.Hold
		case Lost:
			n[LostBy(e.Why)]++
		case Broken:
			n[TakenAway]++
		case Reject:
			n[LateRefused]++
		}
	}
}

// Add adds another tally.
func (n Tally) Add(more Tally) {
	for what, times := range more {
		n[what] += times
	}
}

// String is the tally in one line.
func (n Tally) String() string {
	var b strings.Builder
	for _, what := range slices.Sorted(maps.Keys(n)) {
		fmt.Fprintf(&b, "%s %d, ", what, n[what])
	}
	return strings.TrimSuffix(b.String(), ", ")
}
