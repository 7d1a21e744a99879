package server

import (
	"context"
	"fmt"
	"net/http"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

const pathElections = "/v1/elections"

// electionRoutes are an election: a line whose head leads, and tells the others a value.
func (s *Server) electionRoutes() {
	route(s, operation{
		id: "campaign", method: http.MethodPost, path: pathElections, tag: tagElection,
		summary: "Become the leader",
		detail:  "As taking a lock is: with wait it stands in line, and waiting comes with a ticket. Resign by releasing the lock of that name.",
	}, s.campaign)
	route(s, operation{
		id: "get-election", method: http.MethodGet, path: pathElections, tag: tagElection, summary: "Who leads, and who wants to",
	}, s.election)
}

type inCampaign struct {
	param.Ticketed
	param.Named
	param.Waiting
	param.Keyed
	Value string `query:"value" required:"true" minLength:"1" maxLength:"3072" doc:"What the others see of the leader: its address, say."`
}

func (s *Server) campaign(ctx context.Context, in *inCampaign) (*granted, error) {
	c := driver.Claim{
		Line: in.Name, Kind: driver.KindElection, Capacity: 1, Units: 1, Data: noteOf(remark{Value: in.Value}),
	}
	return s.take(ctx, c, in.Ticketed, in.Waiting, in.Keyed)
}

// Election is who leads, and who wants to.
type Election struct {
	Leader     *api.Place  `json:"leader,omitempty" doc:"Left out when nobody leads."`
	Candidates []api.Place `json:"candidates" nullable:"false" doc:"In the order in which they will lead."`
}

func (s *Server) election(ctx context.Context, in *param.Named) (*body[Election], error) {
	if err := callerOf(ctx).may(VerbRead, in.Name); err != nil {
		return nil, err
	}
	l, err := s.drv.Line(ctx, in.Name)
	if err != nil {
		return nil, err
	}
	out := Election{Candidates: []api.Place{}}
	for i, p := range l.Places {
		place := api.PlaceOf(p)
		switch {
		case p.Kind != driver.KindElection:
			return nil, fmt.Errorf("%w: %q is no election", driver.ErrMismatch, in.Name)
		case i == 0 && p.Granted:
			out.Leader = &place
		default:
			out.Candidates = append(out.Candidates, place)
		}
	}
	return bodyOf(out), nil
}
