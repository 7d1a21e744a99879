package server

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/holdgate/holdgate/driver"
)

// The paths of what operators look at.
const (
	pathHealth  = "/healthz"
	pathReady   = "/readyz"
	pathMetrics = "/metrics"
)

// operate adds what operators look at. It is no part of the API.
func (s *Server) operate(mux *http.ServeMux) {
	mux.HandleFunc("GET "+pathHealth, func(w http.ResponseWriter, _ *http.Request) { say(w, "ok") })
	mux.HandleFunc("GET "+pathReady, s.ready)
	mux.Handle("GET "+pathMetrics, promhttp.HandlerFor(s.opts.Registry, promhttp.HandlerOpts{}))
}

func say(w http.ResponseWriter, text string) {
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	_, _ = fmt.Fprintln(w, text) // who does not listen is not told
}

// readyIn is how long the store may take to show that it is there.
const readyIn = 2 * time.Second

// ready says whether requests shall be sent here: the store answers, and the server is not
// about to stop.
func (s *Server) ready(w http.ResponseWriter, r *http.Request) {
	if s.drained.Err() != nil {
		refuse(w, problemOf(errDraining))
		return
	}
	ctx, cancel := context.WithTimeoutCause(r.Context(), readyIn, errNotReady)
	defer cancel()
	if _, err := s.drv.Line(ctx, readyLine); err != nil && !errors.Is(err, driver.ErrDenied) {
		refuse(w, problemOf(fmt.Errorf("%w: %w", errNotReady, err)))
		return
	}
	say(w, "ready")
}

// readyLine is a name that nobody stands in. Reading it is what every store can do.
const readyLine = "holdgate.server/ready"

var errNotReady = fmt.Errorf("%w: it does not answer", driver.ErrUnavailable)
