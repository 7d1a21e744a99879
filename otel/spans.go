package otel

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/holdgate/holdgate"
)

// grant is a hold.
type grant struct {
	place string
	token holdgate.Token
}

// hold is the span of one. Spans themselves cannot always be compared.
type hold struct {
	span  trace.Span
	ended time.Time // under Watch.mu; zero while it is held
}

// traceAcquired makes the span of a Lock, which is over, and begins that of its hold.
func (w *Watch) traceAcquired(ctx context.Context, e holdgate.Event) {
	now := time.Now()
	begun := now.Add(-e.Took)
	options := []trace.SpanStartOption{trace.WithTimestamp(begun), trace.WithAttributes(attribute.String(attributeName, e.Name))}
	if before, waited := w.before(e.Name, begun); waited {
		options = append(options, trace.WithLinks(trace.Link{SpanContext: before}))
	}
	spanned, acquire := w.tracer.Start(ctx, "holdgate acquire", options...)
	how := outcome(e.Err)
	acquire.SetAttributes(attribute.String("holdgate.outcome", how))
	if how == outcomeUnavailable || how == outcomeError { // busy is an answer, and patience is the caller's
		acquire.SetStatus(codes.Error, e.Err.Error())
	}
	acquire.End(trace.WithTimestamp(now))
	if e.Err != nil {
		return
	}
	_, span := w.tracer.Start(spanned, "holdgate hold", trace.WithTimestamp(now), trace.WithAttributes(
		attribute.String(attributeName, e.Name), attribute.String("holdgate.token", e.Token.String())))
	w.begin(e, span)
}

// begin notes the span of a hold.
func (w *Watch) begin(e holdgate.Event, span trace.Span) {
	h := &hold{span: span}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.open[grant{e.PlaceID, e.Token}] = h
	if len(w.latest) >= remembered {
		clear(w.latest)
	}
	w.latest[e.Name] = h
}

// before returns the latest hold of a name, if it was held at this time: who began to wait
// then waited for it. Its end may be told only after the grant of the next.
func (w *Watch) before(name string, begun time.Time) (trace.SpanContext, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.latest[name]
	if h == nil || !h.ended.IsZero() && !h.ended.After(begun) {
		return trace.SpanContext{}, false
	}
	span := h.span.SpanContext()
	return span, span.IsValid()
}

// remembered bounds the names whose latest hold is remembered. All are forgotten when
// there are more: then a link is missing.
const remembered = 1024

// traceOver ends the span of a hold.
func (w *Watch) traceOver(e holdgate.Event) {
	h := w.end(e)
	if h == nil {
		return // the watch came later than the hold
	}
	if e.Err != nil {
		h.span.SetStatus(codes.Error, e.Err.Error())
	}
	h.span.End()
}

// end forgets a hold, and returns it.
func (w *Watch) end(e holdgate.Event) *hold {
	key := grant{e.PlaceID, e.Token}
	w.mu.Lock()
	defer w.mu.Unlock()
	h := w.open[key]
	delete(w.open, key)
	if h != nil {
		h.ended = time.Now()
	}
	return h
}
