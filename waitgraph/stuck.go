package waitgraph

// standing is what is left when all have gone that can.
type standing struct {
	left  []bool // by place: it never goes
	waits []bool // by place: it is never granted
}

// stuck lets everybody go on who can, again and again: who waits for nothing gives back what it
// has, which lets others go on. What is left is stuck. The order does not matter, since who goes is
// in nobody's way.
func (g *graph) stuck(party parties) standing {
	s := standing{left: make([]bool, len(g.spots)), waits: make([]bool, len(g.spots))}
	waiting := make([]int, len(g.spots)) // by party
	for i := range g.spots {
		s.left[i] = true
	}
	for _, line := range g.lines {
		for at, i := range line {
			if s.waits[i] = !g.fits(line[:at], i, s, party); s.waits[i] {
				waiting[party[i]]++
			}
		}
	}
	for again := true; again; {
		again = false
		for _, line := range g.lines {
			for at, i := range line {
				if s.waits[i] && g.fits(line[:at], i, s, party) {
					s.waits[i] = false
					waiting[party[i]]--
					again = true
				}
				if s.left[i] && waiting[party[i]] == 0 && !g.heldUp(i, s) {
					s.left[i] = false
					again = true
				}
			}
		}
	}
	return s
}

// fits reports whether a place is granted behind those of others that are left ahead of it.
func (g *graph) fits(ahead []int, i int, s standing, party parties) bool {
	p := g.spots[i].Place
	if p.Granted || p.Units == 0 {
		return true
	}
	free := p.Capacity
	for _, a := range ahead {
		other := g.spots[a].Place
		if !s.left[a] || party[a] == party[i] {
			continue
		}
		if other.Kind != p.Kind || other.Capacity != p.Capacity {
			return false
		}
		free -= other.Units
	}
	return free >= p.Units
}

// heldUp reports whether something has to go first.
func (g *graph) heldUp(i int, s standing) bool {
	for _, inner := range g.inside[i] {
		if s.left[inner] {
			return true
		}
	}
	return false
}
