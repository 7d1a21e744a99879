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

// pace is how often at most a listener is sent something: what changes meanwhile comes
// together.
const pace = 50 * time.Millisecond

func (s *Server) eventRoutes() {
	route(s, operation{
		id: "listen", method: http.MethodGet, path: api.PathEvents, tag: tagLine, events: api.Snapshot{},
		summary: "Listen to what happens",
		detail: "A stream: first all lines that match, then each one whole whenever it changed; changes may be merged, and the " +
			"last one is never withheld. All listeners share one watch at the store. With Last-Event-ID it goes on where it broke; " +
			"what is not known there any more comes whole, with full true.",
	}, s.listen)
}

type inListen struct {
	param.Queried
	Last string `header:"Last-Event-ID" maxLength:"64" doc:"The ID of the last event that came."`
}

func (s *Server) listen(ctx context.Context, in *inListen) (*streamed, error) {
	q, err := queryOf(in.Queried, callerOf(ctx))
	if err != nil {
		return nil, err
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	soon, cancel := context.WithTimeoutCause(ctx, s.opts.Limits.Read, errFeedLate)
	defer cancel()
	if err := s.events.isReady(soon); err != nil {
		return nil, err
	}
	from, known := s.events.number(in.Last)
	return s.stream(ctx, func(ctx context.Context, st *stream) error {
		return s.feedTo(ctx, st, q, from, known)
	})
}

var errFeedLate = fmt.Errorf("%w: the store has not shown its lines yet", driver.ErrUnavailable)

// feedTo sends a listener what happens, until it has gone.
func (s *Server) feedTo(ctx context.Context, st *stream, q driver.Query, from uint64, known bool) error {
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	rest := time.NewTimer(0)
	defer rest.Stop()
	for {
		select {
		case <-rest.C:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		out, last, more, err := s.events.news(q, from, known)
		if err != nil {
			return err
		}
		if out.Full || len(out.Lines) > 0 {
			if err := st.send(s.events.id(last), api.EventSnapshot, out); err != nil {
				return err
			}
		}
		from, known = last, true
		if err := awaitNews(ctx, st, more, beat.C); err != nil {
			return err
		}
		rest.Reset(pace)
	}
}

// awaitNews shows that the stream is alive until there are news.
func awaitNews(ctx context.Context, st *stream, more <-chan struct{}, beat <-chan time.Time) error {
	for {
		select {
		case <-more:
			return nil
		case <-beat:
			if err := st.beat(); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}
