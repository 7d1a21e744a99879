package waitgraph

import (
	"strings"

	"github.com/holdgate/holdgate"
)

// graph has the places of some lines, by number.
type graph struct {
	spots []Spot
	lines [][]int // the numbers of each line's places, in order
	// inside are, for each place, those that are granted or given back before it is given back.
	inside [][]int
}

// newGraph leaves out what other software made: nobody knows what that waits for, so it is taken to
// go on.
func newGraph(lines []holdgate.Line) *graph {
	g := &graph{}
	byID := make(map[string]int)
	for _, l := range lines {
		var numbers []int
		for _, p := range l.Places {
			if p.Foreign {
				continue
			}
			byID[p.ID] = len(g.spots)
			numbers = append(numbers, len(g.spots))
			g.spots = append(g.spots, Spot{l.Name, p})
		}
		g.lines = append(g.lines, numbers)
	}
	g.inside = make([][]int, len(g.spots))
	for inner, s := range g.spots {
		for id := range strings.FieldsSeq(s.Place.Under) {
			if outer, stands := byID[id]; stands {
				g.inside[outer] = append(g.inside[outer], inner)
			}
		}
	}
	return g
}

// parties says, for each place, who decides about it: the number of one of that one's places. A
// party gives nothing back while it waits for another, and never waits for itself.
type parties []int

// placeByPlace goes by what the places tell of each other alone.
func (g *graph) placeByPlace() parties {
	party := make(parties, len(g.spots))
	for i := range party {
		party[i] = i
	}
	return party
}

// bySession takes each process for one who does one thing after the other. A client has one session
// at a time: what an older one has left is on its way out.
func (g *graph) bySession() parties {
	party, first := make(parties, len(g.spots)), make(map[string]int)
	for i, s := range g.spots {
		if _, known := first[s.Place.Session]; !known || s.Place.Session == "" {
			first[s.Place.Session] = i
		}
		party[i] = first[s.Place.Session]
	}
	return party
}
