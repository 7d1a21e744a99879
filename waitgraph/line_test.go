package waitgraph_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/waitgraph"
)

func number(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(err) // the test is wrong
	}
	return n
}

// line makes a line of places, each written as "session", "session:units" or "session:units<under":
// of capacity 1, unless one says "name/capacity".
func line(text string, places ...string) holdgate.Line {
	name, capacity := text, int64(1)
	if n, c, found := strings.Cut(text, "/"); found {
		name = n
		capacity = number(c)
	}
	l := driver.Line{Name: name}
	under := make([]string, len(places))
	for i, text := range places {
		rest, inside, _ := strings.Cut(text, "<")
		session, units, weighs := strings.Cut(rest, ":")
		p := driver.Place{
			ID: session + "@" + name, Session: session, Owner: session,
			Kind: driver.KindSemaphore, Capacity: capacity, Units: 1,
		}
		if weighs {
			p.Units = number(units)
		}
		for range l.Places {
			if l.Find(p.ID) >= 0 {
				p.ID += "'"
			}
		}
		under[i] = strings.ReplaceAll(inside, "+", " ")
		l.Places = append(l.Places, p)
	}
	return shown(l, under)
}

// shown is the line as people see it, with who is granted, as drivers work that out.
func shown(l driver.Line, under []string) holdgate.Line {
	l.Grant()
	v := holdgate.Line{Name: l.Name}
	for i, p := range l.Places {
		v.Places = append(v.Places, holdgate.Place{
			ID: p.ID, Session: p.Session, Owner: p.Owner, Kind: p.Kind, Units: p.Units, Capacity: p.Capacity,
			Granted: p.Granted, Foreign: p.Foreign, Under: under[i],
		})
	}
	return v
}

// told says what was found: "certain: a has x, wants y; b has y, wants x".
func told(cycles []waitgraph.Cycle) []string {
	var all []string
	for _, c := range cycles {
		var steps []string
		for _, s := range c.Steps {
			steps = append(steps, fmt.Sprintf("%s has %s, wants %s", s.Waits.Place.Owner, s.Holds.Name, s.Waits.Name))
		}
		kind := "possible: "
		if c.Certain {
			kind = "certain: "
		}
		all = append(all, kind+strings.Join(steps, "; "))
	}
	return all
}
