package server

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
	"github.com/holdgate/holdgate/waitgraph"
)

const pathWaits = "/v1/waits"

// betweenLooks is how far apart the two looks are: a circle that is seen in only one of them
// may be made of places that never stood together.
const betweenLooks = time.Second

func (s *Server) waitRoutes() {
	route(s, operation{
		id: "list-waits", method: http.MethodGet, path: pathWaits, tag: tagLine,
		summary: "Who waits for each other",
		detail: "The circles of those who wait for each other, each with the shortest way around it. What looks like one is looked at " +
			"twice, a second apart. Among the lines of the prefix only.",
	}, s.waits)
}

// Waits are the circles that were found.
type Waits struct {
	Cycles []Cycle `json:"cycles" nullable:"false" doc:"The certain ones first, then the shorter ones."`
}

// Cycle is a group of whom each waits for the next one, and the last one for the first.
type Cycle struct {
	Certain bool   `json:"certain" doc:"Each waits inside of what it holds. Else it is only known that the same process does both."`
	Steps   []Step `json:"steps" nullable:"false"`
}

// Step is one of a cycle.
type Step struct {
	Holds api.Place `json:"holds" doc:"What the one before waits for."`
	Waits api.Place `json:"waits" doc:"By which it waits for the next one."`
}

func (s *Server) waits(ctx context.Context, in *param.Prefixed) (*body[Waits], error) {
	q, err := queryOf(param.Queried{Prefixed: *in}, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	before, _, err := s.look(ctx, q)
	if err != nil || len(waitgraph.Find(before)) == 0 {
		return bodyOf(Waits{Cycles: []Cycle{}}), err
	}
	select {
	case <-time.After(betweenLooks):
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	after, places, err := s.look(ctx, q)
	if err != nil {
		return nil, err
	}
	out := Waits{Cycles: []Cycle{}}
	for _, c := range waitgraph.Find(waitgraph.Between(before, after)) {
		cycle := Cycle{Certain: c.Certain}
		for _, step := range c.Steps {
			cycle.Steps = append(cycle.Steps, Step{Holds: places[placeKey(step.Holds)], Waits: places[placeKey(step.Waits)]})
		}
		out.Cycles = append(out.Cycles, cycle)
	}
	return bodyOf(out), nil
}

func placeKey(at waitgraph.Spot) string { return at.Place.ID + at.Name }

// look returns the lines that may matter to who waits for whom, as the shared watch told them
// last, and their places.
func (s *Server) look(ctx context.Context, q driver.Query) ([]holdgate.Line, map[string]api.Place, error) {
	soon, cancel := context.WithTimeoutCause(ctx, s.opts.Limits.Read, errFeedLate)
	defer cancel()
	if err := s.events.isReady(soon); err != nil {
		return nil, nil, err
	}
	told, _, _, err := s.events.news(q, 0, false)
	if err != nil {
		return nil, nil, err
	}
	var lines []holdgate.Line
	places := make(map[string]api.Place)
	for _, text := range told.Lines {
		if !mayMatter(text) {
			continue
		}
		var l api.Line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, nil, err
		}
		line := holdgate.Line{Name: l.Name}
		for _, p := range l.Places {
			line.Places = append(line.Places, asRoot(p))
			places[p.ID+l.Name] = p
		}
		lines = append(lines, line)
	}
	return lines, places, nil
}

// mayMatter spares reading lines in which nobody waits, and no place tells of others: no way
// around leads through them.
func mayMatter(line []byte) bool {
	return bytes.Contains(line, []byte(`"granted":false`)) || bytes.Contains(line, []byte(`"under":`))
}

// asRoot is a place as package holdgate has it, as far as it matters here.
func asRoot(p api.Place) holdgate.Place {
	var told struct {
		Under string `json:"under"`
	}
	_ = json.Unmarshal(p.Data, &told) // others may write what they like; then it says nothing
	return holdgate.Place{
		ID: p.ID, Session: p.Session, Owner: p.Owner, Kind: driver.Kind(p.Kind), Units: p.Units, Capacity: p.Capacity,
		Granted: p.Granted, Foreign: p.Foreign, Under: told.Under,
	}
}
