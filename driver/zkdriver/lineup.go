package zkdriver

import (
	"cmp"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// lineup is a line as the names of its nodes tell it at one moment: who stands there, in
// order, and with how many units.
type lineup struct {
	name, path string
	// below is a node among them that is no place, with verbatim names: what it is for, is
	// below this line.
	below string
	nodes []node
	// places are those of the nodes, with what a grant depends on.
	places []driver.Place
}

// node is the node of a place.
type node struct {
	name     string
	sequence int32
	// claimed are the units in the node's name. The place has fewer when another node
	// tells so.
	claimed int64
	// unordered is what other software put there without a sequence. Nobody knows its
	// position, so it is ahead of all.
	unordered bool
}

// newLineup reads the names of a line's nodes.
func newLineup(name, path string, children []string) *lineup {
	type pair struct {
		node
		driver.Place
	}
	var all []pair
	lowered := make(map[string]int64)
	for _, child := range children {
		if id, units, ok := parseUnits(child); ok {
			lowered[id] = units
			continue
		}
		p, sequence, ok := parsePlace(child)
		n := node{name: child, sequence: sequence, claimed: p.Units}
		if !ok {
			p = driver.Place{ID: child, Foreign: true}
			n.sequence, ok = parseForeign(child)
			n.unordered = !ok
		}
		p.Line = name
		all = append(all, pair{n, p})
	}
	slices.SortFunc(all, func(a, b pair) int { return a.compare(b.node) })
	l := &lineup{name: name, path: path, nodes: make([]node, len(all)), places: make([]driver.Place, len(all))}
	for i, p := range all {
		if units, ok := lowered[p.ID]; ok && !p.Foreign {
			p.Units = min(p.Units, units)
		}
		l.nodes[i], l.places[i] = p.node, p.Place
	}
	return l
}

// compare orders nodes as they were made. The sequence goes on at the smallest number
// after the largest one, so what counts is which way round is shorter.
func (n node) compare(other node) int {
	switch {
	case n.unordered != other.unordered:
		if n.unordered {
			return -1
		}
		return 1
	case n.unordered || n.sequence == other.sequence:
		return cmp.Compare(n.name, other.name)
	case n.sequence-other.sequence < 0: // wraps
		return -1
	}
	return 1
}

// of returns the path of the node number i.
func (l *lineup) of(i int) string { return l.path + "/" + l.nodes[i].name }

// find returns the number of the place with this ID, or -1.
func (l *lineup) find(id string) int {
	return slices.IndexFunc(l.places, func(p driver.Place) bool { return p.ID == id })
}

// at returns the number of the node with this path, or -1.
func (l *lineup) at(path string) int {
	for i := range l.nodes {
		if l.of(i) == path {
			return i
		}
	}
	return -1
}

// fits reports whether the place number i is granted.
func (l *lineup) fits(i int) bool { return driver.Fits(l.places[:i], l.places[i]) }

// ahead are the places before number i.
func (l *lineup) ahead(i int) []driver.Place { return l.places[:i] }

// mismatched reports whether one of ours among these is of another kind or capacity.
func mismatched(places []driver.Place, c driver.Claim) bool {
	return slices.ContainsFunc(places, func(p driver.Place) bool { return !p.Foreign && !p.Matches(c.Kind, c.Capacity) })
}

// blocker returns the number of the last place before i that is in its way, in a line of
// capacity 1. While that one stands i is not granted, whatever happens before it.
func (l *lineup) blocker(i int) int {
	for n := i - 1; n >= 0; n-- {
		if p := l.places[n]; p.Units > 0 || !p.Matches(l.places[i].Kind, l.places[i].Capacity) {
			return n
		}
	}
	return -1
}

// obstacle is who is in the way of number i, in a line of capacity 1.
func (l *lineup) obstacle(i int) obstacle {
	var o obstacle
	if n := l.blocker(i); n >= 0 {
		o.node = l.of(n)
		if n = l.blocker(n); n >= 0 {
			o.beyond = l.of(n)
		}
	}
	return o
}
