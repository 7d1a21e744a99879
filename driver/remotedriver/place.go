package remotedriver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// Enter puts a place at the end of a line.
func (s *session) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := c.Check(); err != nil {
		return driver.Place{}, err
	}
	p, err := s.place(ctx, request{
		method: http.MethodPost, path: s.path(api.PathPlaces, ""), writes: true, body: api.ClaimOf(c),
	})
	if err != nil {
		s.doubt(err, c.ID)
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

// place makes a request whose answer is a place.
func (s *session) place(ctx context.Context, r request) (driver.Place, error) {
	var p api.Place
	r.answer = &p
	if err := s.do(ctx, r); err != nil {
		return driver.Place{}, err
	}
	return p.Driver()
}

// TryAll enters all claims, or none.
func (s *session) TryAll(ctx context.Context, claims []driver.Claim) ([]driver.Place, error) {
	if len(claims) == 0 {
		return nil, fmt.Errorf("%w: no claims", driver.ErrInvalid)
	}
	body := api.Claims{Claims: make([]api.Claim, len(claims))}
	for i, c := range claims {
		if err := c.Check(); err != nil {
			return nil, err
		}
		body.Claims[i] = api.ClaimOf(c)
	}
	var places api.Places
	err := s.do(ctx, request{
		method: http.MethodPost, path: s.path(api.PathTryAll, ""), writes: true, body: body, answer: &places,
	})
	if err != nil {
		for _, c := range claims {
			s.doubt(err, c.ID)
		}
		return nil, fmt.Errorf("try %d lines: %w", len(claims), err)
	}
	return api.DriverPlaces(places.Places)
}

// A wait is asked for in pieces: proxies cut off what is silent for longer.
const (
	waitPiece = 45 * time.Second
	waitGrace = 10 * time.Second // for the answer, before the server is taken for hung
)

var errHung = errors.New("the server does not answer")

// Wait returns when the place is granted.
func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	for {
		now, err := s.waitOnce(ctx, p)
		if err != nil {
			return driver.Place{}, fmt.Errorf("wait in %q: %w", p.Line, err)
		}
		if now.Granted {
			return now, nil
		}
	}
}

func (s *session) waitOnce(ctx context.Context, p driver.Place) (driver.Place, error) {
	n, _ := s.d.server()
	within, cancel := context.WithTimeoutCause(ctx, waitPiece+waitGrace, errHung)
	defer cancel()
	now, err := s.place(within, request{
		method: http.MethodGet, path: s.path(api.PathWait, p.ID),
		query: query{
			api.QueryName: p.Line, api.QueryOrder: strconv.FormatUint(p.Order, 10), api.QueryWait: waitPiece.String(),
		},
	})
	if errors.Is(err, errHung) {
		s.d.leave(n)
	}
	return now, err
}

// Update writes new data and units for a place.
func (s *session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := cmp.Or(driver.CheckName(p.Line), driver.CheckID(p.ID), driver.CheckData(p.Data)); err != nil {
		return driver.Place{}, err
	}
	if p.Units < 0 || p.Units > driver.MaxCapacity {
		return driver.Place{}, fmt.Errorf("%w: units are 0 to %d, not %d", driver.ErrInvalid, driver.MaxCapacity, p.Units)
	}
	now, err := s.place(ctx, request{
		method: http.MethodPatch, path: s.path(api.PathPlace, p.ID), writes: true,
		body: api.Change{Line: p.Line, Units: p.Units, Data: p.Data, Version: strconv.FormatUint(p.Version, 10)},
	})
	if err != nil {
		return driver.Place{}, fmt.Errorf("update in %q: %w", p.Line, err)
	}
	return now, nil
}

// Swap leaves p and enters c at the end of the same line.
func (s *session) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	if err := cmp.Or(c.CheckSwap(p), driver.CheckID(p.ID)); err != nil {
		return driver.Place{}, err
	}
	now, err := s.place(ctx, request{
		method: http.MethodPost, path: s.path(api.PathSwap, p.ID), writes: true, body: api.ClaimOf(c),
	})
	if err != nil {
		s.doubt(err, c.ID)
		return driver.Place{}, fmt.Errorf("swap in %q: %w", c.Line, err)
	}
	return now, nil
}

// Leave removes every trace of the ID from the line.
func (s *session) Leave(ctx context.Context, line, placeID string) error {
	if err := cmp.Or(driver.CheckName(line), driver.CheckID(placeID)); err != nil {
		return err
	}
	q := query{api.QueryName: line}
	if s.inDoubt(placeID) {
		q[api.QueryDoubt] = "true"
	}
	err := s.do(ctx, request{method: http.MethodDelete, path: s.path(api.PathPlace, placeID), writes: true, query: q})
	if err == nil || errors.Is(err, driver.ErrGone) {
		s.left(placeID)
	}
	if err != nil {
		return fmt.Errorf("leave %q: %w", line, err)
	}
	return nil
}
