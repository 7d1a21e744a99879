package waitgraph

import (
	"maps"
	"slices"
)

// components returns the groups of parties that reach each other, by Tarjan's algorithm ("Depth-first
// search and linear graph algorithms", 1972), without those of one. It keeps its own stack, as a line
// may be longer than one likes to recurse.
func components(edges map[int][]edge) [][]int {
	t := &tarjan{edges: edges, number: make(map[int]int), low: make(map[int]int), on: make(map[int]bool)}
	for _, v := range slices.Sorted(maps.Keys(edges)) {
		if t.number[v] == 0 {
			t.visit(v)
		}
	}
	return t.groups
}

type tarjan struct {
	edges  map[int][]edge
	number map[int]int // in the order of the visits, from 1
	low    map[int]int // the least number that is reached
	stack  []int
	on     map[int]bool
	groups [][]int
}

// visit is one who is being visited, and how many of its edges have been followed.
type visit struct{ party, next int }

func (t *tarjan) visit(root int) {
	t.enter(root)
	for path := []visit{{root, 0}}; len(path) > 0; {
		v := &path[len(path)-1]
		if v.next < len(t.edges[v.party]) {
			to := t.edges[v.party][v.next].party
			v.next++
			switch {
			case t.number[to] == 0:
				t.enter(to)
				path = append(path, visit{to, 0})
			case t.on[to]:
				t.low[v.party] = min(t.low[v.party], t.number[to])
			}
			continue
		}
		t.leave(v.party)
		if path = path[:len(path)-1]; len(path) > 0 {
			from := path[len(path)-1].party
			t.low[from] = min(t.low[from], t.low[v.party])
		}
	}
}

func (t *tarjan) enter(v int) {
	t.number[v] = len(t.number) + 1
	t.low[v] = t.number[v]
	t.stack = append(t.stack, v)
	t.on[v] = true
}

// leave takes the group of v off the stack, if v is the first one of it.
func (t *tarjan) leave(v int) {
	if t.low[v] != t.number[v] {
		return
	}
	at := slices.Index(t.stack, v)
	group := slices.Clone(t.stack[at:])
	t.stack = t.stack[:at]
	for _, w := range group {
		t.on[w] = false
	}
	if len(group) > 1 {
		slices.Sort(group)
		t.groups = append(t.groups, group)
	}
}

// shortest returns the shortest way from a party of the group back to it on which somebody waits for
// a lock, nil when there is none.
func shortest(edges map[int][]edge, group []int) []edge {
	var best []edge
	for _, start := range group {
		if way := back(edges, group, start); best == nil || way != nil && len(way) < len(best) {
			best = way
		}
		if len(best) == 2 {
			break // there is no shorter one
		}
	}
	return best
}

// stage is how far a way has come: to whom, and whether somebody waits on it.
type stage struct {
	party int
	waits bool
}

// back returns the shortest such way from start to start within the group, breadth first.
func back(edges map[int][]edge, group []int, start int) []edge {
	goal := stage{start, true}
	by := make(map[stage]edge) // how a stage was reached first
	from := make(map[stage]stage)
	for queue := []stage{{start, false}}; len(queue) > 0; queue = queue[1:] {
		at := queue[0]
		for _, e := range edges[at.party] {
			next := stage{e.party, at.waits || e.step}
			_, seen := by[next]
			if _, in := slices.BinarySearch(group, e.party); seen || !in || e.party == start && !next.waits {
				continue
			}
			by[next], from[next] = e, at
			if next == goal {
				return unwind(by, from, start)
			}
			queue = append(queue, next)
		}
	}
	return nil
}

// unwind goes back the way that led to start.
func unwind(by map[stage]edge, from map[stage]stage, start int) []edge {
	var way []edge
	for at := (stage{start, true}); len(way) == 0 || at.party != start; at = from[at] {
		way = append(way, by[at])
	}
	slices.Reverse(way)
	return way
}
