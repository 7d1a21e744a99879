package server

import (
	"context"
	"errors"
	"log/slog"
	"net/http"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
	"github.com/holdgate/holdgate/server/internal/param"
)

func (s *Server) featureRoutes() {
	route(s, operation{
		id: "get-features", method: http.MethodGet, path: api.PathFeatures, tag: tagServer,
		summary: "What the store can and cannot promise",
	}, func(context.Context, *struct{}) (*body[api.Features], error) {
		return bodyOf(api.FeaturesOf(s.features)), nil
	})
}

// lineRoutes are what is shown to who looks, and evictions.
func (s *Server) lineRoutes() {
	route(s, operation{
		id: "get-line", method: http.MethodGet, path: api.PathLine, tag: tagLine,
		summary: "Who holds and who waits", detail: "One line, up to date. A name that nobody stands in is a line without places.",
	}, s.line)
	route(s, operation{
		id: "list-lines", method: http.MethodGet, path: api.PathLines, tag: tagLine,
		summary: "All lines, or those of a prefix",
	}, s.lines)
	route(s, operation{
		id: "watch-lines", method: http.MethodGet, path: api.PathWatch, tag: tagLine, events: api.Snapshot{},
		summary: "Watch lines, each watch by itself",
		detail: "A stream whose first snapshot is full and up to date, and which costs the store a watch of its own. " +
			"For pages and the like use /v1/events, which share one.",
	}, s.watch)
	route(s, operation{
		id: "evict", method: http.MethodPost, path: api.PathEvictions, tag: tagLine, status: http.StatusNoContent,
		summary: "Ask a place to go",
		detail: "One that waits is removed at once. One that holds is marked: its holder is told by its next renewal. " +
			"With force it is removed at once, and two may then believe that they hold.",
	}, s.evict)
}

func (s *Server) line(ctx context.Context, in *param.Named) (*body[api.Line], error) {
	if err := callerOf(ctx).may(VerbRead, in.Name); err != nil {
		return nil, err
	}
	l, err := s.drv.Line(ctx, in.Name)
	return bodyOf(api.LineOf(l)), err
}

// queryOf is what the caller may look at and wants to.
func queryOf(in param.Queried, who *caller) (driver.Query, error) {
	if in.Name != "" {
		return driver.Query{Name: in.Name}, who.may(VerbRead, in.Name)
	}
	return driver.Query{Name: in.Prefix, Prefix: true}, who.mayAll(VerbRead, in.Prefix)
}

func (s *Server) lines(ctx context.Context, in *param.Prefixed) (*body[api.Lines], error) {
	q, err := queryOf(param.Queried{Prefixed: *in}, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	q.Once = true
	for snap, err := range s.drv.Watch(ctx, q) {
		return bodyOf(api.Lines{Lines: api.LinesOf(snap.Lines)}), err
	}
	return nil, errNothingListed
}

var errNothingListed = errors.New("the store listed nothing")

func (s *Server) watch(ctx context.Context, in *param.Queried) (*streamed, error) {
	q, err := queryOf(*in, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	return s.stream(ctx, func(ctx context.Context, st *stream) error {
		return pump(ctx, st, s.drv.Watch(ctx, q), func(snap driver.Snapshot) any {
			return api.Snapshot{Lines: api.LinesOf(snap.Lines), Full: snap.Full}
		})
	})
}

func (s *Server) evict(ctx context.Context, in *struct{ Body api.Eviction }) (*none, error) {
	who := callerOf(ctx)
	if err := who.may(VerbEvict, in.Body.Line); err != nil {
		return nil, err
	}
	e := in.Body.Driver()
	e.By = who.signed(e.By)
	err := s.drv.Evict(ctx, e.Line, e.PlaceID, driver.Eviction{Reason: e.Reason, By: e.By, Force: e.Force})
	outcome := "done"
	if err != nil {
		outcome = err.Error()
	}
	s.opts.Audit.LogAttrs(ctx, slog.LevelInfo, "eviction",
		slog.String("caller", who.name), slog.String("from", who.from), slog.String("line", e.Line), slog.String("place", e.PlaceID),
		slog.String("by", e.By), slog.String("reason", e.Reason), slog.Bool("force", e.Force), slog.String("outcome", outcome))
	return nil, err
}
