package server

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

const pathLocks = "/v1/locks"

// lockRoutes are conveniences for people who write requests by hand: one request takes a
// lock, one gives it back.
func (s *Server) lockRoutes() {
	route(s, operation{
		id: "acquire", method: http.MethodPost, path: pathLocks, tag: tagLock,
		summary: "Take a lock",
		detail: "Answers with the place once it is granted. Without wait it is a try: busy when somebody is ahead. With wait it " +
			"stands in line; when that was not enough the answer is waiting, with a ticket: ask again with it, or with the " +
			"same Idempotency-Key, and you keep your place.",
	}, s.acquire)
	route(s, operation{
		id: "release", method: http.MethodDelete, path: pathLocks, tag: tagLock, status: http.StatusNoContent,
		summary: "Give a lock back, or leave the line",
		detail:  "By the token that was granted, or by the ticket. Gone says that it was not held any more.",
	}, s.release)
	s.lockStreamRoute()
}

// remark is what package holdgate keeps in the data of a place, so that its commands show it.
type remark struct {
	Reason string `json:"reason,omitempty"`
	Value  string `json:"value,omitempty"`
}

func noteOf(r remark) []byte {
	if r == (remark{}) {
		return nil
	}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // two strings
	}
	return text
}

type inAcquire struct {
	param.Ticketed
	param.Named
	param.AsLock
	param.Waiting
	param.Keyed
}

// granted is a place that is granted, and its token where a program finds it easily.
type granted struct {
	Token string `header:"Fencing-Token" doc:"The fencing token: resources refuse smaller ones than they have seen."`
	Body  api.Place
}

func grantedOf(p driver.Place) *granted {
	place := api.PlaceOf(p)
	return &granted{Token: place.Token, Body: place}
}

func (s *Server) acquire(ctx context.Context, in *inAcquire) (*granted, error) {
	c, err := in.Claim(in.Name)
	if err != nil {
		return nil, err
	}
	c.Data = noteOf(remark{Reason: in.Reason})
	return s.take(ctx, c, in.Ticketed, in.Waiting, in.Keyed)
}

// take enters a line and waits there.
func (s *Server) take(ctx context.Context, c driver.Claim, by param.Ticketed, in param.Waiting, key param.Keyed) (*granted, error) {
	if err := callerOf(ctx).may(VerbLock, c.Line); err != nil {
		return nil, err
	}
	limit, err := in.Limit(0, s.opts.Limits.Wait)
	if err != nil {
		return nil, err
	}
	var p driver.Place
	err = s.sessions.useEntry(ctx, by.Session, func(e *entry) (err error) {
		c := c
		named := by.Ticket != "" || key.IdempotencyKey != "" // so that the client can ask for this place again
		if c.ID = by.Ticket; c.ID == "" {
			c.ID = key.PlaceID(e.id, c.Line)
		}
		c.Try = limit == 0
		p, err = s.takeOn(ctx, e, c, limit)
		if err != nil && ctx.Err() != nil && !named {
			s.abandon(ctx, e, c)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return grantedOf(p), nil
}

// takeOn enters a line and waits there, at most so long.
func (s *Server) takeOn(ctx context.Context, e *entry, c driver.Claim, limit time.Duration) (driver.Place, error) {
	p, err := s.sessions.enter(ctx, e, c)
	if err != nil || p.Granted {
		return p, err
	}
	if limit > 0 {
		p, err = s.waitFor(ctx, e, p, limit)
	} else {
		err = errWaited // a try that finds a place which stands from before
	}
	switch {
	case errors.Is(err, errWaited):
		return p, s.stillWaiting(ctx, c)
	case errors.Is(err, driver.ErrGone):
		s.sessions.release(e, c.ID)
	}
	return p, err
}

// stillWaiting is the answer to who was not granted in time.
func (s *Server) stillWaiting(ctx context.Context, c driver.Claim) error {
	p := newProblem(api.CodeWaiting, http.StatusConflict, "Not granted yet", "your place keeps standing in line: ask again with the ticket")
	p.Ticket = c.ID
	l, err := s.drv.Line(ctx, c.Line)
	if err != nil || len(l.Places) == 0 {
		return p // what is known is enough
	}
	head := api.PlaceOf(l.Places[0])
	p.Holder, p.Ahead = &head, max(l.Find(c.ID), 0)
	return p
}

// abandon leaves a line for a client that has gone and that nobody told which place it
// has: it could not ask for it again.
func (s *Server) abandon(ctx context.Context, e *entry, c driver.Claim) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.opts.Limits.Read)
	s.tasks.Go(func() { // ends with its call
		defer cancel()
		if err := e.ses.Leave(ctx, c.Line, c.ID); err == nil || errors.Is(err, driver.ErrGone) {
			s.sessions.release(e, c.ID)
		}
	})
}

func (s *Server) release(ctx context.Context, in *struct {
	param.Ticketed
	param.Named
	Token string `query:"token" pattern:"^[0-9]{1,20}$" doc:"The fencing token that was granted."`
},
) (*none, error) {
	if (in.Token == "") == (in.Ticket == "") {
		return nil, fmt.Errorf("%w: a place is released by its token or by its ticket", driver.ErrInvalid)
	}
	return nil, s.sessions.useEntry(ctx, in.Session, func(e *entry) error {
		id := in.Ticket
		if id == "" {
			var err error
			if id, err = s.byToken(ctx, e, in.Name, in.Token); err != nil {
				return err
			}
		}
		err := e.ses.Leave(ctx, in.Name, id)
		if err == nil || errors.Is(err, driver.ErrGone) {
			s.sessions.release(e, id)
		}
		return err
	})
}

// byToken finds the session's place with that token.
func (s *Server) byToken(ctx context.Context, e *entry, name, token string) (string, error) {
	l, err := s.drv.Line(ctx, name)
	if err != nil {
		return "", err
	}
	for _, p := range l.Places {
		if p.Session == e.id && p.Order != 0 && api.PlaceOf(p).Token == token {
			return p.ID, nil
		}
	}
	return "", fmt.Errorf("%w: this session does not hold %q with token %s", driver.ErrGone, name, strconv.Quote(token))
}
