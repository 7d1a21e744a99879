package server

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"reflect"
	"sync"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// beatEvery is how often a stream without news shows that it is alive.
const beatEvery = 5 * time.Second

// stream is an answer that goes on: server-sent events. One goroutine writes to it.
type stream struct {
	w     http.ResponseWriter
	rc    *http.ResponseController
	limit time.Duration // for the client to take an event
	buf   bytes.Buffer
}

// streamed is the answer of an operation that is a stream.
type streamed struct {
	Body func(huma.Context)
}

// stream answers with a stream, which run writes. What ends run is told as the last event.
func (s *Server) stream(ctx context.Context, run func(context.Context, *stream) error) (*streamed, error) {
	who := callerOf(ctx)
	if err := s.quotas.take(who.name, quotaListeners, s.limit(who, quotaListeners)); err != nil {
		return nil, err
	}
	return &streamed{Body: func(c huma.Context) { //nolint:contextcheck // the request has its own
		defer s.quotas.give(who.name, quotaListeners, 1)
		_, w := humago.Unwrap(c)
		st := &stream{w: w, rc: http.NewResponseController(w), limit: s.opts.Limits.Write}
		h := w.Header()
		h.Set("Content-Type", "text/event-stream")
		h.Set("Cache-Control", "no-store")
		h.Set("X-Accel-Buffering", "no") // a proxy that gathers output would keep it
		w.WriteHeader(http.StatusOK)
		ctx, done := s.waiting(c.Context())
		defer done()
		err := run(ctx, st)
		switch {
		case errors.Is(err, errSlow):
			s.metrics.dropped.Inc()
			s.logSlow(ctx, who)
		case err != nil && c.Context().Err() == nil:
			_ = st.send("", api.EventProblem, problemOf(err)) // who does not listen is not told
		}
	}}, nil
}

// errSlow: the client did not take an event in time, or is gone.
var errSlow = errors.New("the client does not take what it is sent")

// send writes one event. It is bounded, so that a client that does not read holds up
// nothing but itself.
func (st *stream) send(id, event string, v any) error {
	st.buf.Reset()
	if id != "" {
		st.buf.WriteString("id: " + id + "\n")
	}
	st.buf.WriteString("event: " + event + "\ndata: ")
	enc := json.NewEncoder(&st.buf) // ends in a newline, and writes no other
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return err
	}
	st.buf.WriteByte('\n')
	return st.write()
}

// beat shows that the stream is alive.
func (st *stream) beat() error {
	st.buf.Reset()
	st.buf.WriteString(":\n\n")
	return st.write()
}

func (st *stream) write() error {
	_ = st.rc.SetWriteDeadline(time.Now().Add(st.limit)) // a recorder in a test has none
	if _, err := st.w.Write(st.buf.Bytes()); err != nil {
		return errors.Join(errSlow, err)
	}
	if err := st.rc.Flush(); err != nil {
		return errors.Join(errSlow, err)
	}
	return nil
}

// pump sends what a watch yields, until it ends. While an event is on its way changes are
// gathered by the watch.
func pump[S any](ctx context.Context, st *stream, watch iter.Seq2[S, error], show func(S) any) error {
	type item struct {
		snap S
		err  error
	}
	ctx, cancel := context.WithCancelCause(ctx)
	items := make(chan item)
	var watching sync.WaitGroup
	// Ends with ctx, and is awaited below.
	watching.Go(func() {
		defer close(items)
		for snap, err := range watch {
			select {
			case items <- item{snap, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	defer watching.Wait()
	defer cancel(nil)
	beat := time.NewTicker(beatEvery)
	defer beat.Stop()
	for {
		select {
		case next, ok := <-items:
			if !ok {
				return context.Cause(ctx)
			}
			if next.err != nil {
				return next.err
			}
			if err := st.send("", api.EventSnapshot, show(next.snap)); err != nil {
				return err
			}
		case <-beat.C:
			if err := st.beat(); err != nil {
				return err
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// streamOf describes a stream in the document.
func streamOf(registry huma.Registry, events any) *huma.Response {
	return &huma.Response{
		Description: "Server-sent events; the data of each is JSON. A comment every few seconds shows that the stream is alive.",
		Content: map[string]*huma.MediaType{
			"text/event-stream": {
				Schema: &huma.Schema{Type: huma.TypeString},
				Extensions: map[string]any{
					"x-event-data": registry.Schema(reflect.TypeOf(events), true, "Event"),
				},
			},
		},
	}
}
