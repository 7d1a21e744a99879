package otel

import (
	"context"
	"errors"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/fence"
)

// Watch measures one client or several. Its methods may be called by any goroutine.
type Watch struct {
	instruments
	label  func(name string) string
	tracer trace.Tracer

	mu     sync.Mutex
	open   map[grant]*hold  // that there are
	latest map[string]*hold // by name
}

// Event is for holdgate.Options.OnEvent.
func (w *Watch) Event(e holdgate.Event) {
	ctx := e.Context
	if ctx == nil {
		ctx = context.Background()
	}
	switch e.Type {
	case holdgate.EventAcquiring:
		w.waiters.Add(ctx, 1, w.with(e.Name))
	case holdgate.EventAcquired:
		w.acquired(ctx, e)
	case holdgate.EventReleased:
		w.over(ctx, e, "released")
	case holdgate.EventLost:
		w.over(ctx, e, "lost")
		w.lost.Add(ctx, 1, w.with(e.Name, attribute.String("reason", reason(e.Err))))
	case holdgate.EventRenewed:
		w.renew.Record(ctx, e.Took.Seconds(), w.with("", attribute.String("outcome", outcome(e.Err))))
		w.slack.Record(ctx, e.Slack.Seconds())
	case holdgate.EventSessionOpened:
		w.opened.Add(ctx, 1)
	case holdgate.EventSessionLost:
		w.ended.Add(ctx, 1)
	case holdgate.EventStray:
		w.strays.Add(ctx, 1, w.with(e.Name))
	}
}

// Refused is for fence.GateOptions.OnRefuse, and for whoever is refused by another fence.
func (w *Watch) Refused(e *fence.StaleError) {
	w.refused.Add(context.Background(), 1, w.with(e.Name))
}

func (w *Watch) acquired(ctx context.Context, e holdgate.Event) {
	w.waiters.Add(ctx, -1, w.with(e.Name))
	w.acquire.Record(ctx, e.Took.Seconds(), w.with(e.Name, attribute.String("outcome", outcome(e.Err))))
	if e.Err == nil {
		w.holds.Add(ctx, 1, w.with(e.Name))
	}
	w.traceAcquired(ctx, e)
}

func (w *Watch) over(ctx context.Context, e holdgate.Event, end string) {
	w.holds.Add(ctx, -1, w.with(e.Name))
	w.hold.Record(ctx, e.Took.Seconds(), w.with(e.Name, attribute.String("end", end)))
	w.traceOver(e)
}

// with is what a measurement of this lock is labelled with.
func (w *Watch) with(name string, more ...attribute.KeyValue) metric.MeasurementOption {
	if label := w.label(name); name != "" && label != "" {
		more = append(more, attribute.String(attributeName, label))
	}
	return metric.WithAttributes(more...)
}

const attributeName = "holdgate.lock"

// The outcomes of a call.
const (
	outcomeOK          = "ok"
	outcomeBusy        = "busy"
	outcomeTimeout     = "timeout"
	outcomeUnavailable = "unavailable"
	outcomeError       = "error"
)

// outcome says in a word how a call ended.
func outcome(err error) string {
	switch {
	case err == nil:
		return outcomeOK
	case errors.Is(err, holdgate.ErrBusy):
		return outcomeBusy
	case errors.Is(err, holdgate.ErrUnavailable):
		return outcomeUnavailable
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return outcomeTimeout
	}
	return outcomeError
}

func reason(err error) string {
	if lost, ok := errors.AsType[*holdgate.LostError](err); ok {
		return string(lost.Reason)
	}
	return "unknown"
}
