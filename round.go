package holdgate

import (
	"encoding/json"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// Rounds of a barrier. A party that has seen its round begin tells so in its place, before
// it goes on; who has not seen it yet, because another party of the round is gone already,
// takes its word. A party stays in line until all that are left of its round have told.

// round is one use of a barrier: the parties whose orders are from first to last.
type round struct{ first, last uint64 }

// roundState is how far a party is.
type roundState int

const (
	roundWaits roundState = iota // it has told nothing yet
	roundOpen                    // it has seen the round begin
	roundDone                    // it has done its part
)

func (r round) covers(order uint64) bool { return r.first <= order && order <= r.last }

// text is what a party tells that is so far.
func (r round) text(state roundState) string {
	word := "open"
	if state == roundDone {
		word = "done"
	}
	return fmt.Sprintf("%s %d %d", word, r.first, r.last)
}

// told reads what a party tells.
func told(p driver.Place) (r round, state roundState) {
	var n note
	var word string
	if json.Unmarshal(p.Data, &n) != nil {
		return round{}, roundWaits
	}
	if _, err := fmt.Sscanf(n.Value, "%s %d %d", &word, &r.first, &r.last); err != nil {
		return round{}, roundWaits
	}
	if word == "done" {
		return r, roundDone
	}
	return r, roundOpen
}

// roundOf returns the round of the party with this order, if it has begun: somebody tells of
// it, or the party is one of the first of those that wait, and they are enough.
func roundOf(places []driver.Place, order uint64, parties int64) (round, bool) {
	var open []round
	for _, p := range places {
		r, state := told(p)
		if state == roundWaits {
			continue
		}
		if r.covers(order) {
			return r, true
		}
		open = append(open, r)
	}
	var waiting []uint64
	for _, p := range places {
		if _, state := told(p); state == roundWaits && !p.Foreign && !coveredBy(open, p.Order) {
			waiting = append(waiting, p.Order)
		}
	}
	if int64(len(waiting)) < parties {
		return round{}, false
	}
	r := round{first: waiting[0], last: waiting[parties-1]}
	return r, r.covers(order)
}

func coveredBy(rounds []round, order uint64) bool {
	for _, r := range rounds {
		if r.covers(order) {
			return true
		}
	}
	return false
}

// reached reports whether every party of the round that still stands is at least so far.
func (r round) reached(places []driver.Place, state roundState) bool {
	for _, p := range places {
		if _, is := told(p); r.covers(p.Order) && is < state {
			return false
		}
	}
	return true
}
