package server

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

const (
	pathTimings = "/v1/timings"
	pathHistory = "/v1/history"
)

// Times are told as how long ago something was, since the clocks of two machines are never
// compared.

// historyRoutes are what this server has seen. It is about lines, so who may look at a line may
// see it.
func (s *Server) historyRoutes() {
	route(s, operation{
		id: "get-timings", method: http.MethodGet, path: pathTimings, tag: tagLine,
		summary: "How long waits and holds of some lines took",
		detail: "What this server has seen since it began to look; others have seen other things. What came and went between " +
			"two looks of the watch is not in it. Quantiles are at most 19% too high. Lines that were not seen are left out.",
	}, s.timings)
	route(s, operation{
		id: "get-history", method: http.MethodGet, path: pathHistory, tag: tagLine,
		summary: "What was seen of one line",
		detail:  "The last grants and how many waited when, as far as this server has seen it.",
	}, s.past)
}

// Timings are how long waits and holds took.
type Timings struct {
	Watched int64        `json:"watched_ms" doc:"For how long this server has looked on."`
	Lines   []LineTiming `json:"lines" nullable:"false"`
}

// LineTiming is how long waits and holds of one line took.
type LineTiming struct {
	Name    string `json:"name"`
	Grants  uint64 `json:"grants" doc:"How many were seen."`
	Wait50  *int64 `json:"wait_p50_ms,omitempty" doc:"Left out when no wait was seen from its begin to its end, and so on."`
	Wait99  *int64 `json:"wait_p99_ms,omitempty"`
	Hold50  *int64 `json:"hold_p50_ms,omitempty"`
	Hold99  *int64 `json:"hold_p99_ms,omitempty"`
	Held    *int64 `json:"held_ms,omitempty" doc:"For how long the one who holds longest has, if its grant was seen."`
	Waiting *int64 `json:"waiting_ms,omitempty" doc:"For how long the one who waits longest has, if it was seen to come."`
}

// errNoHistory: the server was told not to keep one.
var errNoHistory = fmt.Errorf("%w: this server keeps no history", driver.ErrUnsupported)

type inTimings struct {
	Names []string `query:"name,explode" required:"true" minItems:"1" maxItems:"100" doc:"The names of lines; it may be given up to 100 times."`
}

func (s *Server) timings(ctx context.Context, in *inTimings) (*body[Timings], error) {
	for _, name := range in.Names {
		if err := callerOf(ctx).may(VerbRead, name); err != nil {
			return nil, err
		}
	}
	if s.history == nil {
		return nil, errNoHistory
	}
	now := s.history.now()
	out := Timings{Watched: now.Sub(s.history.began).Milliseconds(), Lines: []LineTiming{}}
	for _, name := range in.Names {
		s.history.with(name, func(p *pastLine) { out.Lines = append(out.Lines, p.timing(now)) })
	}
	return bodyOf(out), nil
}

func (p *pastLine) timing(now time.Time) LineTiming {
	t := LineTiming{
		Name: p.name, Grants: p.grants,
		Wait50: quantileOf(&p.waits, 0.5), Wait99: quantileOf(&p.waits, 0.99),
		Hold50: quantileOf(&p.holds, 0.5), Hold99: quantileOf(&p.holds, 0.99),
	}
	for _, s := range p.standing {
		if s.holds {
			t.Held = longer(t.Held, since(s.granted, now))
		} else {
			t.Waiting = longer(t.Waiting, since(s.entered, now))
		}
	}
	return t
}

func quantileOf(s *spread, q float64) *int64 {
	d, ok := s.quantile(q)
	if !ok {
		return nil
	}
	return new(api.Up(d))
}

// since is how many milliseconds ago it was, nil when that is not known.
func since(at, now time.Time) *int64 {
	if at.IsZero() {
		return nil
	}
	return new(now.Sub(at).Milliseconds())
}

func longer(a, b *int64) *int64 {
	if a == nil || b != nil && *b > *a {
		return b
	}
	return a
}

// History is what was seen of one line.
type History struct {
	Watched  int64      `json:"watched_ms" doc:"For how long this server has looked on."`
	Standing []PastStay `json:"standing" nullable:"false" doc:"Who stands in the line, in no order."`
	Grants   []Grant    `json:"grants" nullable:"false" doc:"The last grants that are over, the oldest first."`
	Points   []Point    `json:"points" nullable:"false" doc:"How many there were, the oldest first; each is so until the next."`
}

// PastStay is for how long a place was seen to stand.
type PastStay struct {
	Place   string `json:"place"`
	Waited  *int64 `json:"waited_ms,omitempty" doc:"Of one that holds: how long it took to get it."`
	Held    *int64 `json:"held_ms,omitempty" doc:"Of one that holds."`
	Waiting *int64 `json:"waiting_ms,omitempty" doc:"Of one that waits."`
}

// Grant is one that is over.
type Grant struct {
	Place   string `json:"place"`
	Session string `json:"session,omitempty"`
	Owner   string `json:"owner,omitempty"`
	Waited  *int64 `json:"waited_ms,omitempty" doc:"Left out when its begin was not seen."`
	Held    int64  `json:"held_ms"`
	Ended   int64  `json:"ended_ms" doc:"How long ago it ended."`
	Unsure  bool   `json:"unsure,omitempty" doc:"It ended at some time at which the server did not see the store."`
}

// Point is how many there were from a moment on.
type Point struct {
	Ago     int64 `json:"ago_ms"`
	Holding int32 `json:"holding"`
	Waiting int32 `json:"waiting"`
	Peak    int32 `json:"peak" doc:"The most that waited shortly after that moment."`
	Gap     bool  `json:"gap,omitempty" doc:"Before this moment the server did not see the store."`
}

func (s *Server) past(ctx context.Context, in *param.Named) (*body[History], error) {
	if err := callerOf(ctx).may(VerbRead, in.Name); err != nil {
		return nil, err
	}
	if s.history == nil {
		return nil, errNoHistory
	}
	now := s.history.now()
	out := History{Watched: now.Sub(s.history.began).Milliseconds(), Standing: []PastStay{}, Grants: []Grant{}, Points: []Point{}}
	s.history.with(in.Name, func(p *pastLine) { p.show(&out, now) })
	return bodyOf(out), nil
}

func (p *pastLine) show(out *History, now time.Time) {
	for id, s := range p.standing {
		shown := PastStay{Place: id}
		if s.holds {
			shown.Waited, shown.Held = between(s.entered, s.granted), since(s.granted, now)
		} else {
			shown.Waiting = since(s.entered, now)
		}
		out.Standing = append(out.Standing, shown)
	}
	for _, g := range p.past {
		out.Grants = append(out.Grants, Grant{
			Place: g.place, Session: g.session, Owner: g.owner, Unsure: g.unsure,
			Waited: between(g.entered, g.granted), Held: g.over.Sub(g.granted).Milliseconds(), Ended: now.Sub(g.over).Milliseconds(),
		})
	}
	for _, at := range p.crowd.points {
		out.Points = append(out.Points, Point{Ago: now.Sub(at.at).Milliseconds(), Holding: at.holding, Waiting: at.waiting, Peak: at.peak, Gap: at.gap})
	}
}

// between is how long a wait took, nil when not both ends of it were seen.
func between(entered, granted time.Time) *int64 {
	if entered.IsZero() || granted.IsZero() {
		return nil
	}
	return new(granted.Sub(entered).Milliseconds())
}
