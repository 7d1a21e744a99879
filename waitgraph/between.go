package waitgraph

import (
	"slices"
	"strings"

	"github.com/holdgate/holdgate"
)

// Between returns what stood at every moment between two looks at the same lines, each of which may
// have read one line after the other. Nobody joins ahead of a place, an ID is used once,
// and a place that was granted stays so: who waits in the later look has waited all the time.
//
// The longer the time between the two, the fewer are there that only pass by.
func Between(before, after []holdgate.Line) []holdgate.Line {
	seen := make(map[string]holdgate.Place)
	for _, l := range before {
		for _, p := range l.Places {
			seen[p.ID+l.Name] = p
		}
	}
	var lines []holdgate.Line
	for _, l := range after {
		stood := holdgate.Line{Name: l.Name}
		for _, p := range l.Places {
			if then, stands := seen[p.ID+l.Name]; stands {
				p.Under = both(then.Under, p.Under)
				stood.Places = append(stood.Places, p)
			}
		}
		if len(stood.Places) > 0 {
			lines = append(lines, stood)
		}
	}
	return lines
}

// both returns the IDs that both have.
func both(a, b string) string {
	known := strings.Fields(a)
	return strings.Join(slices.DeleteFunc(strings.Fields(b), func(id string) bool { return !slices.Contains(known, id) }), " ")
}
