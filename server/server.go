package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/holdgate/holdgate/driver"
)

// Server is the HTTP API over one store. It is an http.Handler, safe for concurrent use.
type Server struct {
	drv      driver.Driver
	kv       driver.KV // nil: the store has no map
	features driver.Features
	opts     Options

	access   atomic.Pointer[Access]
	api      huma.API
	document []byte // the OpenAPI document
	handler  http.Handler
	sessions *table
	events   *feed
	history  *history // nil: none is kept
	quotas   quotas
	metrics  *metrics

	// ctx ends with the server: what no request waits for runs on it.
	ctx   context.Context //nolint:containedctx // the server's own lifetime
	stop  context.CancelCauseFunc
	tasks sync.WaitGroup
	// drained ends when requests shall not wait any more.
	drained context.Context //nolint:containedctx // likewise
	drain   context.CancelFunc
}

// errStopped is why requests end when the server is closed.
var errStopped = errors.New("the server was closed")

// New returns a server over a driver, which stays the caller's: it is closed after the
// server. It does not touch the store, but for Options.History.
func New(drv driver.Driver, o *Options) (*Server, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Server{drv: drv, features: drv.Features(), opts: opts}
	if kv, ok := drv.(driver.KV); ok && s.features.KV {
		s.kv = kv
	}
	s.access.Store(opts.Access)
	s.ctx, s.stop = context.WithCancelCause(context.Background())
	s.drained, s.drain = context.WithCancel(s.ctx)
	s.quotas.init()
	s.sessions = newTable(s)
	s.events = newFeed(s)
	if s.metrics, err = newMetrics(s); err != nil {
		return nil, fmt.Errorf("server: %w", err)
	}
	if err := s.routes(); err != nil {
		return nil, err
	}
	s.tasks.Go(s.sessions.look) // until Close, which waits for it
	if opts.History {
		s.history = newHistory(time.Now)
		s.events.begin()
	}
	return s, nil
}

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.handler.ServeHTTP(w, r) }

// SetAccess replaces who may do what, for all requests from now on. Streams that are open
// go on.
func (s *Server) SetAccess(a *Access) { s.access.Store(a) }

// Drain makes ready for the end: requests that wait are answered at once, to be asked again
// of another server, streams are told and end, and /readyz says no. Sessions stay, but for
// those that are bound to a stream: they are given back.
func (s *Server) Drain() { s.drain() }

// Close ends all requests and what runs in the background. Sessions stay open, as if the
// server had died, but for those that end with it.
func (s *Server) Close() error {
	s.drain()
	s.stop(errStopped)
	s.tasks.Wait()
	return nil
}

// waiting is the context of a request that waits: it ends when the server drains, too.
func (s *Server) waiting(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.drained, func() { cancel(errDraining) })
	return ctx, func() { stop(); cancel(nil) }
}
