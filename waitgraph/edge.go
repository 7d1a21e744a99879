package waitgraph

// edge says that a party does not go on before another one does: a place of the one waits behind
// a place of the other, or is not given back before that is.
type edge struct {
	from, to int // places
	waits    bool
	step     bool // somebody waits: in line or, for another of its own process, outside of it
	party    int  // whom it leads to
}

// edges are those between parties that are stuck, by party.
func (g *graph) edges(s standing, party parties) map[int][]edge {
	edges := make(map[int][]edge)
	add := func(from, to int, waits bool) {
		if a, b := party[from], party[to]; a != b {
			edges[a] = append(edges[a], edge{from, to, waits, waits || g.spots[to].Place.Granted, b})
		}
	}
	for _, line := range g.lines {
		for at, i := range line {
			if s.left[i] && s.waits[i] {
				for _, ahead := range g.inTheWay(line[:at], i, s) {
					add(i, ahead, true)
				}
			}
		}
	}
	for outer, inner := range g.inside {
		for _, i := range inner {
			if s.left[outer] && s.left[i] {
				add(outer, i, false)
			}
		}
	}
	return edges
}

// inTheWay returns the places ahead that i waits for: all that hold, and the nearest of those that
// wait. That one waits for the next, so that a long line has not an arrow for each two.
func (g *graph) inTheWay(ahead []int, i int, s standing) []int {
	var some []int
	waiter := -1
	p := g.spots[i].Place
	for _, a := range ahead {
		other := g.spots[a].Place
		switch {
		case !s.left[a], other.Units == 0 && other.Kind == p.Kind && other.Capacity == p.Capacity:
		case s.waits[a]:
			waiter = a
		default:
			some = append(some, a)
		}
	}
	if waiter >= 0 {
		some = append(some, waiter)
	}
	return some
}
