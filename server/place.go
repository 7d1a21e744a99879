package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

// placeRoutes are what a session does with its places: the contract of package driver.
func (s *Server) placeRoutes() {
	route(s, operation{
		id: "enter", method: http.MethodPost, path: api.PathPlaces, tag: tagPlace,
		summary: "Enter a line",
		detail: "Puts a place at the end of a line. It is idempotent by the place's ID, or by Idempotency-Key: " +
			"to enter again returns the place that stands.",
	}, s.enter)
	route(s, operation{
		id: "try-all", method: http.MethodPost, path: api.PathTryAll, tag: tagPlace,
		summary: "Enter several lines or none", detail: "All claims are granted at once, in one step, or none is entered.",
	}, s.tryAll)
	route(s, operation{
		id: "wait", method: http.MethodGet, path: api.PathWait, tag: tagPlace,
		summary: "Wait until a place is granted",
		detail:  "Answers when the place is granted, or after a while with granted false: ask again then. Gone says that the place was removed.",
	}, s.wait)
	route(s, operation{
		id: "update", method: http.MethodPatch, path: api.PathPlace, tag: tagPlace,
		summary: "Change a place", detail: "Writes new data and units. Units only go down. The place keeps its position.",
	}, s.update)
	route(s, operation{
		id: "swap", method: http.MethodPost, path: api.PathSwap, tag: tagPlace,
		summary: "Go to the end of the line", detail: "Leaves the place and enters the claim, in one step.",
	}, s.swap)
	route(s, operation{
		id: "leave", method: http.MethodDelete, path: api.PathPlace, tag: tagPlace, status: http.StatusNoContent,
		summary: "Leave a line", detail: "Gone says that the place was not there.",
	}, s.leave)
}

type inEnter struct {
	param.OfSession
	param.Keyed
	Body api.Claim
}

func (s *Server) enter(ctx context.Context, in *inEnter) (*body[api.Place], error) {
	if err := callerOf(ctx).may(VerbLock, in.Body.Line); err != nil {
		return nil, err
	}
	var p driver.Place
	err := s.sessions.useEntry(ctx, in.Session, func(e *entry) (err error) {
		c := in.Body.Driver()
		if c.ID == "" {
			c.ID = in.PlaceID(e.id, c.Line)
		}
		p, err = s.sessions.enter(ctx, e, c)
		return err
	})
	return bodyOf(api.PlaceOf(p)), err
}

// enter enters a line, within the caller's quota.
func (t *table) enter(ctx context.Context, e *entry, c driver.Claim) (driver.Place, error) {
	done, err := e.arrive(c.ID)
	if err != nil {
		return driver.Place{}, err
	}
	defer done()
	made, err := t.reserve(callerOf(ctx), e, c.ID)
	if err != nil {
		return driver.Place{}, err
	}
	if t.s.features.Layout == driver.LayoutSingle && !c.Try {
		// Enter itself waits. Cut off, it may have got the key: its caller enters again.
		var done context.CancelFunc
		ctx, done = t.s.waiting(ctx)
		defer done()
	}
	p, err := e.ses.Enter(ctx, c)
	if err != nil && made && !errors.Is(err, driver.ErrUnknownOutcome) {
		t.release(e, c.ID)
	}
	return p, err
}

func (s *Server) tryAll(ctx context.Context, in *struct {
	param.OfSession
	Body api.Claims
},
) (*body[api.Places], error) {
	claims := make([]driver.Claim, len(in.Body.Claims))
	for i, c := range in.Body.Claims {
		if err := callerOf(ctx).may(VerbLock, c.Line); err != nil {
			return nil, err
		}
		claims[i] = c.Driver()
		if c.ID == "" {
			claims[i].ID = param.NewID()
		}
	}
	var places []driver.Place
	err := s.sessions.useEntry(ctx, in.Session, func(e *entry) (err error) {
		places, err = s.sessions.tryAll(ctx, e, claims)
		return err
	})
	return bodyOf(api.Places{Places: api.PlacesOf(places)}), err
}

func (t *table) tryAll(ctx context.Context, e *entry, claims []driver.Claim) ([]driver.Place, error) {
	trier, ok := e.ses.(driver.AllTrier)
	if !ok {
		return nil, fmt.Errorf("%w: %s has no transactions", driver.ErrUnsupported, t.s.features.Store)
	}
	ids := make([]string, len(claims))
	for i, c := range claims {
		ids[i] = c.ID
	}
	done, err := e.arrive(ids...)
	if err != nil {
		return nil, err
	}
	defer done()
	var made []string
	undo := func() {
		for _, id := range made {
			t.release(e, id)
		}
	}
	for _, c := range claims {
		isNew, err := t.reserve(callerOf(ctx), e, c.ID)
		if err != nil {
			undo()
			return nil, err
		}
		if isNew {
			made = append(made, c.ID)
		}
	}
	places, err := trier.TryAll(ctx, claims)
	if err != nil && !errors.Is(err, driver.ErrUnknownOutcome) {
		undo()
	}
	return places, err
}

type inWait struct {
	param.OfPlace
	param.Named
	Order string `query:"order" pattern:"^[0-9]{1,20}$" doc:"The place's order, as it was told when it was entered: saves the store a read."`
	param.Waiting
}

func (s *Server) wait(ctx context.Context, in *inWait) (*body[api.Place], error) {
	if err := callerOf(ctx).may(VerbLock, in.Name); err != nil {
		return nil, err
	}
	most := s.opts.Limits.Wait
	limit, err := in.Limit(most, most)
	if err != nil {
		return nil, err
	}
	order, err := api.Number(in.Order)
	if err != nil {
		return nil, err
	}
	p := driver.Place{Line: in.Name, ID: in.Place, Order: order}
	err = s.sessions.useEntry(ctx, in.Session, func(e *entry) error {
		granted, err := s.waitFor(ctx, e, p, limit)
		switch {
		case errors.Is(err, errWaited):
			return nil
		case errors.Is(err, driver.ErrGone):
			s.sessions.release(e, in.Place)
		}
		if err == nil {
			p = granted
		}
		return err
	})
	return bodyOf(api.PlaceOf(p)), err
}

// errWaited: the time of a wait is over. The place stands.
var errWaited = errors.New("not granted yet")

// waitFor waits until a place is granted, at most so long.
func (s *Server) waitFor(ctx context.Context, e *entry, p driver.Place, limit time.Duration) (driver.Place, error) {
	ctx, done := s.waiting(ctx)
	defer done()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errWaited)
	defer cancel()
	for {
		now, err := e.ses.Wait(ctx, p)
		if err != nil || now.Granted {
			return now, err
		}
		if err := context.Cause(ctx); err != nil {
			return now, err
		}
	}
}

func (s *Server) update(ctx context.Context, in *struct {
	param.OfPlace
	Body api.Change
},
) (*body[api.Place], error) {
	if err := callerOf(ctx).may(VerbLock, in.Body.Line); err != nil {
		return nil, err
	}
	p, err := api.Place{
		Line: in.Body.Line, ID: in.Place, Units: in.Body.Units, Data: in.Body.Data, Version: in.Body.Version,
	}.Driver()
	if err != nil {
		return nil, err
	}
	err = s.sessions.use(ctx, in.Session, func(ses driver.Session) error {
		now, err := ses.Update(ctx, p)
		if err == nil {
			p = now
		}
		return err
	})
	return bodyOf(api.PlaceOf(p)), err
}

func (s *Server) swap(ctx context.Context, in *struct {
	param.OfPlace
	param.Keyed
	Body api.Claim
},
) (*body[api.Place], error) {
	if err := callerOf(ctx).may(VerbLock, in.Body.Line); err != nil {
		return nil, err
	}
	var p driver.Place
	err := s.sessions.useEntry(ctx, in.Session, func(e *entry) (err error) {
		c := in.Body.Driver()
		if c.ID == "" {
			c.ID = in.PlaceID(e.id, c.Line)
		}
		done, err := e.arrive(c.ID)
		if err != nil {
			return err
		}
		defer done()
		p, err = e.ses.Swap(ctx, driver.Place{Line: c.Line, ID: in.Place}, c)
		if err == nil {
			s.sessions.swapped(e, in.Place, c.ID)
		}
		return err
	})
	return bodyOf(api.PlaceOf(p)), err
}

func (s *Server) leave(ctx context.Context, in *struct {
	param.OfPlace
	param.Named
	Doubt bool `query:"doubt" doc:"An earlier request for this place was not answered, and may yet arrive: it shall come to nothing."`
},
) (*none, error) {
	return nil, s.sessions.useEntry(ctx, in.Session, func(e *entry) error {
		if in.Doubt {
			if gone := e.overtake(in.Place, time.Now()); gone != nil {
				select {
				case <-gone:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
		}
		err := e.ses.Leave(ctx, in.Name, in.Place)
		if err == nil || errors.Is(err, driver.ErrGone) {
			s.sessions.release(e, in.Place)
		}
		return err
	})
}
