package waitgraph

import (
	"cmp"
	"slices"

	"github.com/holdgate/holdgate"
)

// Cycle is a group of whom each waits for the next one, and the last one for the first.
type Cycle struct {
	// Certain: each one waits inside of what it holds, as the places tell ([holdgate.Place].Under):
	// it holds on to that until the wait has ended. Else it is only known that the same process
	// does both.
	Certain bool `json:"certain"`
	// Steps has one for each, in the order in which they wait for each other.
	Steps []Step `json:"steps"`
}

// Step is one of a Cycle.
type Step struct {
	// Holds is what the one before waits for. Mostly it is granted; one that waits itself is in
	// the way of those behind it.
	Holds Spot `json:"holds"`
	// Waits is the place by which it waits for the next one. One that is granted is waited
	// for by another goroutine of the process that has it.
	Waits Spot `json:"waits"`
}

// Spot is a place, and the line that it stands in.
type Spot struct {
	Name  string         `json:"name"`
	Place holdgate.Place `json:"place"`
}

// Find returns the cycles in these lines: one for each group of those that are stuck with each
// other, the certain ones first, then the shorter ones.
func Find(lines []holdgate.Line) []Cycle {
	g := newGraph(lines)
	cycles := g.cycles(g.placeByPlace(), true)
	certain := make(map[string]bool)
	for _, c := range cycles {
		for _, s := range c.Steps {
			certain[s.Waits.Place.ID] = true
		}
	}
	for _, c := range g.cycles(g.bySession(), false) {
		told := slices.ContainsFunc(c.Steps, func(s Step) bool { return certain[s.Waits.Place.ID] })
		if !told {
			cycles = append(cycles, c)
		}
	}
	return cycles
}

// cycles returns a cycle of each group of parties that are stuck with each other.
func (g *graph) cycles(party parties, certain bool) []Cycle {
	var cycles []Cycle
	edges := g.edges(g.stuck(party), party)
	for _, group := range components(edges) {
		if steps := g.steps(shortest(edges, group)); len(steps) > 0 {
			cycles = append(cycles, Cycle{Certain: certain, Steps: steps})
		}
	}
	slices.SortStableFunc(cycles, func(a, b Cycle) int { return cmp.Compare(len(a.Steps), len(b.Steps)) })
	return cycles
}

// steps tells a way around as who holds what, and waits for what.
func (g *graph) steps(way []edge) []Step {
	var steps []Step
	for _, e := range way {
		switch {
		case e.waits:
			steps = append(steps, Step{Waits: g.spots[e.from], Holds: g.spots[e.to]})
		case e.step:
			steps = append(steps, Step{Waits: g.spots[e.to], Holds: g.spots[e.to]})
		}
	}
	if len(steps) == 0 {
		return nil // places that say of each other what cannot be
	}
	held := steps[len(steps)-1].Holds
	for i := range steps { // so far each one has what the next one holds
		steps[i].Holds, held = held, steps[i].Holds
	}
	return steps
}
