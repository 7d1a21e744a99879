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

// sessionRoutes are what is done with a session as a whole.
func (s *Server) sessionRoutes() {
	route(s, operation{
		id: "open-session", method: http.MethodPost, path: api.PathSessions, tag: tagSession, status: http.StatusCreated,
		summary: "Open a session",
		detail: "All places of a client live by its session, and the session by renewals. Renew it every third of its TTL, " +
			"and count the time from before you sent the request. When it is lost, so is all that it held.",
	}, s.openSession)
	route(s, operation{
		id: "get-session", method: http.MethodGet, path: api.PathSession, tag: tagSession,
		summary: "List a session's places", detail: "The list may lag a little.",
	}, s.present)
	route(s, operation{
		id: "renew-session", method: http.MethodPost, path: api.PathRenew, tag: tagSession,
		summary: "Renew a session",
		detail:  "Starts its time anew, and tells which of its places somebody wants to have. Lost is for good, and the only proof of loss.",
	}, s.renew)
	route(s, operation{
		id: "close-session", method: http.MethodDelete, path: api.PathSession, tag: tagSession, status: http.StatusNoContent,
		summary: "Close a session", detail: "Gives everything back at once. Closing again is not an error.",
	}, s.closeSession)
}

func (s *Server) openSession(ctx context.Context, in *struct{ Body api.NewSession }) (*body[api.Session], error) {
	opened, err := s.sessions.open(ctx, in.Body)
	if err != nil {
		return nil, err
	}
	return bodyOf(opened), nil
}

func (s *Server) present(ctx context.Context, in *param.OfSession) (*body[api.Presence], error) {
	var found api.Presence
	err := s.sessions.use(ctx, in.Session, func(ses driver.Session) error {
		places, err := ses.Present(ctx)
		found = api.Presence{ID: ses.ID(), TTL: api.Down(ses.TTL()), Places: api.PlacesOf(places)}
		return err
	})
	return bodyOf(found), err
}

func (s *Server) renew(ctx context.Context, in *param.OfSession) (*body[api.Renewal], error) {
	var renewed api.Renewal
	err := s.sessions.use(ctx, in.Session, func(ses driver.Session) error {
		marks, err := ses.Renew(ctx)
		renewed = api.Renewal{TTL: api.Down(ses.TTL()), Evictions: api.EvictionsOf(marks)}
		return err
	})
	return bodyOf(renewed), err
}

func (s *Server) closeSession(ctx context.Context, in *param.OfSession) (*none, error) {
	return nil, s.sessions.end(ctx, in.Session)
}

// open opens a session for the caller.
func (t *table) open(ctx context.Context, in api.NewSession) (api.Session, error) {
	who := callerOf(ctx)
	if !who.mayLockAnything() {
		return api.Session{}, who.denied(VerbLock, "")
	}
	ttl := api.Duration(in.TTL)
	if ttl < t.s.opts.Limits.MinTTL {
		return api.Session{}, fmt.Errorf("%w: a TTL is at least %v, not %v", driver.ErrInvalid, t.s.opts.Limits.MinTTL, ttl)
	}
	if err := t.s.quotas.take(who.name, quotaSessions, t.s.limit(who, quotaSessions)); err != nil {
		return api.Session{}, err
	}
	ses, err := t.s.drv.Open(ctx, driver.SessionOptions{TTL: ttl, Owner: in.Owner})
	if err != nil {
		t.s.quotas.give(who.name, quotaSessions, 1)
		return api.Session{}, err
	}
	e := t.add(ses, who.name, ttl)
	name, err := t.names.name(ctx, who.name, ses.ID())
	if err != nil {
		t.drop(e)
		return api.Session{}, errors.Join(err, ses.Close(ctx))
	}
	return api.Session{Session: name, ID: ses.ID(), TTL: api.Down(e.ttl), Owner: in.Owner}, nil
}

// end closes a session.
func (t *table) end(ctx context.Context, name string) error {
	err := t.useEntry(ctx, name, func(e *entry) error {
		err := e.ses.Close(ctx)
		if err == nil {
			t.drop(e)
		}
		return err
	})
	if errors.Is(err, driver.ErrSessionLost) {
		return nil // as was asked for
	}
	return err
}

// lapse is how long after its last renewal a session has ended in the store, if nobody
// else renews it.
func (t *table) lapse(ttl time.Duration) time.Duration {
	return ttl + t.s.features.ExpirySlack + t.s.features.RenewLag
}
