package remotedriver

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// session is a session as its client has it.
type session struct {
	d    *Driver
	name string // what the server calls it by, for this client only
	id   string
	ttl  time.Duration
	lost atomic.Bool // for good

	mu sync.Mutex
	// unsure are the places that a request may yet make that was not answered.
	unsure map[string]struct{}
}

var (
	_ driver.Session  = (*session)(nil)
	_ driver.AllTrier = (*session)(nil)
)

// Open starts a session. Its TTL is rounded up to whole milliseconds.
func (d *Driver) Open(ctx context.Context, opts driver.SessionOptions) (driver.Session, error) {
	if opts.TTL <= 0 {
		return nil, fmt.Errorf("%w: a TTL is more than 0, not %v", driver.ErrInvalid, opts.TTL)
	}
	if err := driver.CheckOwner(opts.Owner); err != nil {
		return nil, err
	}
	var opened api.Session
	err := d.do(ctx, request{
		method: http.MethodPost, path: api.PathSessions, writes: true,
		body: api.NewSession{TTL: api.Up(opts.TTL), Owner: opts.Owner}, answer: &opened,
	})
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	return &session{
		d: d, name: opened.Session, id: opened.ID, ttl: api.Duration(opened.TTL), unsure: make(map[string]struct{}),
	}, nil
}

// ID is the session's as lines show it. What the server calls it by is its client's own.
func (s *session) ID() string         { return s.id }
func (s *session) TTL() time.Duration { return s.ttl }

// path fills in a path of the API.
func (s *session) path(pattern, placeID string) string {
	return strings.NewReplacer("{session}", url.PathEscape(s.name), "{place}", url.PathEscape(placeID)).Replace(pattern)
}

// do makes a request for the session, and notes its end when the server says so.
func (s *session) do(ctx context.Context, r request) error {
	if err := s.d.usable(ctx); err != nil {
		return err
	}
	if s.lost.Load() {
		return fmt.Errorf("%w: %s", driver.ErrSessionLost, s.id)
	}
	err := s.d.do(ctx, r)
	if errors.Is(err, driver.ErrSessionLost) {
		s.lost.Store(true)
	}
	return err
}

// Renew starts the store's clock for this session anew.
func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	var renewed api.Renewal
	err := s.do(ctx, request{method: http.MethodPost, path: s.path(api.PathRenew, ""), writes: true, answer: &renewed})
	if err != nil {
		return nil, fmt.Errorf("renew session %s: %w", s.id, err)
	}
	marks := make([]driver.Eviction, len(renewed.Evictions))
	for i, e := range renewed.Evictions {
		marks[i] = e.Driver()
	}
	return marks, nil
}

// Present returns every place of this session.
func (s *session) Present(ctx context.Context) ([]driver.Place, error) {
	var found api.Presence
	err := s.do(ctx, request{method: http.MethodGet, path: s.path(api.PathSession, ""), answer: &found})
	if err != nil {
		return nil, fmt.Errorf("places of session %s: %w", s.id, err)
	}
	return api.DriverPlaces(found.Places)
}

// Close ends the session and removes all its places.
func (s *session) Close(ctx context.Context) error {
	err := s.do(ctx, request{method: http.MethodDelete, path: s.path(api.PathSession, ""), writes: true})
	if err != nil && !errors.Is(err, driver.ErrSessionLost) {
		return fmt.Errorf("close session %s: %w", s.id, err)
	}
	s.lost.Store(true)
	return nil
}
