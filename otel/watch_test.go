package otel_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/fence"
	"github.com/holdgate/holdgate/otel"
)

// rig is a watch whose measurements and spans are kept in memory.
type rig struct {
	t      *testing.T
	watch  *otel.Watch
	reader *metric.ManualReader
	spans  *tracetest.SpanRecorder
	traces *sdktrace.TracerProvider
}

func newRig(t *testing.T, label func(string) string) *rig {
	t.Helper()
	r := &rig{t: t, reader: metric.NewManualReader(), spans: tracetest.NewSpanRecorder()}
	r.traces = sdktrace.NewTracerProvider(sdktrace.WithSpanProcessor(r.spans))
	var err error
	r.watch, err = otel.New(&otel.Options{
		Meters: metric.NewMeterProvider(metric.WithReader(r.reader)), Tracers: r.traces, Label: label,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// client returns one that is watched, on a store.
func (r *rig) client(store *memdriver.Store) *holdgate.Client {
	r.t.Helper()
	c, err := holdgate.New(store.Connect(nil), &holdgate.Options{OnEvent: r.watch.Event})
	if err != nil {
		r.t.Fatal(err)
	}
	return c
}

// point is one series of a metric: its count or its value, and the sum of a histogram.
type point struct {
	n   int64
	sum float64
}

// points returns the series of a metric, by their labels.
func (r *rig) points(name string) map[string]point {
	r.t.Helper()
	var all metricdata.ResourceMetrics
	if err := r.reader.Collect(context.WithoutCancel(r.t.Context()), &all); err != nil {
		r.t.Fatal(err)
	}
	points := map[string]point{}
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if m.Name != name {
				continue
			}
			switch data := m.Data.(type) {
			case metricdata.Sum[int64]:
				for _, p := range data.DataPoints {
					points[labels(p.Attributes)] = point{n: p.Value}
				}
			case metricdata.Histogram[float64]:
				for _, p := range data.DataPoints {
					points[labels(p.Attributes)] = point{n: int64(p.Count), sum: p.Sum}
				}
			default:
				r.t.Errorf("%s is %T", name, data)
			}
		}
	}
	return points
}

func labels(set attribute.Set) string {
	var s []string
	for _, kv := range set.ToSlice() {
		s = append(s, string(kv.Key)+"="+kv.Value.AsString())
	}
	slices.Sort(s)
	return strings.Join(s, ",")
}

func (r *rig) want(name, labels string, want point) {
	r.t.Helper()
	if got := r.points(name)[labels]; got != want {
		r.t.Errorf("%s{%s}: got %+v, want %+v", name, labels, got, want)
	}
}

// must is a step of a test.
func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestTheLifeOfALock(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, store := newRig(t, nil), memdriver.NewStore()
		c := r.client(store)
		first, err := c.Mutex("orders/42").Lock(t.Context())
		must(t, err)
		_, err = c.Mutex("orders/42").TryLock(t.Context())
		if !errors.Is(err, holdgate.ErrBusy) {
			t.Fatalf("got %v, want busy", err)
		}
		waiting := make(chan *holdgate.Hold)
		go func() {
			h, err := c.Mutex("orders/42").Lock(t.Context())
			if err != nil {
				t.Error(err)
			}
			waiting <- h
		}()
		synctest.Wait()
		r.want("holdgate.waiters", "", point{n: 1})
		r.want("holdgate.holds", "", point{n: 1})
		time.Sleep(2 * time.Second)
		must(t, first.Release(t.Context()))
		second := <-waiting
		r.want("holdgate.waiters", "", point{})
		r.want("holdgate.holds", "", point{n: 1})
		r.want("holdgate.acquire.duration", "outcome=ok", point{2, 2})
		r.want("holdgate.acquire.duration", "outcome=busy", point{1, 0})
		r.want("holdgate.hold.duration", "end=released", point{1, 2})
		time.Sleep(time.Second)
		must(t, second.Release(t.Context()))

		impatient, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		third, err := c.Mutex("orders/42").Lock(t.Context())
		must(t, err)
		if _, err = c.Mutex("orders/42").Lock(impatient); !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("got %v", err)
		}
		r.want("holdgate.acquire.duration", "outcome=timeout", point{1, 1})

		must(t, c.Close(t.Context()))
		if third.Err() == nil {
			t.Error("it is held after Close")
		}
		r.want("holdgate.holds", "", point{})
		r.want("holdgate.hold.duration", "end=released", point{3, 4})
		r.want("holdgate.sessions", "", point{n: 1})
		if got := r.points("holdgate.lost"); len(got) != 0 {
			t.Errorf("lost: got %v", got)
		}
	})
}

func TestLossAndRenewals(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, store := newRig(t, nil), memdriver.NewStore()
		c := r.client(store)
		defer c.Close(context.WithoutCancel(t.Context()))
		hold, err := c.Mutex("orders/42").Lock(t.Context())
		must(t, err)
		for r.points("holdgate.renew.duration")["outcome=ok"].n < 2 {
			time.Sleep(time.Second)
		}
		slack := r.points("holdgate.renew.slack")[""]
		if most := holdgate.DefaultTTL.Seconds(); slack.n != 2 || slack.sum <= most || slack.sum > 2*most {
			t.Errorf("the slack of two renewals: got %+v, want nearly a TTL each", slack)
		}
		store.ExpireSession(store.Sessions()[0])
		<-hold.Done()
		synctest.Wait()
		r.want("holdgate.lost", "reason=session gone", point{n: 1})
		r.want("holdgate.sessions.lost", "", point{n: 1})
		r.want("holdgate.holds", "", point{})
		if got := r.points("holdgate.hold.duration")["end=lost"].n; got != 1 {
			t.Errorf("lost holds: got %d", got)
		}
	})
}

// The name of a lock is no label, unless somebody makes few of many.
func TestLabels(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, func(name string) string {
			kind, _, _ := strings.Cut(name, "/")
			return kind
		})
		c := r.client(memdriver.NewStore())
		for _, name := range []string{"orders/42", "orders/43", "report"} {
			must(t, c.Do(t.Context(), name, func(context.Context, *holdgate.Hold) error { return nil }))
		}
		must(t, c.Close(t.Context()))
		r.want("holdgate.acquire.duration", "holdgate.lock=orders,outcome=ok", point{n: 2})
		r.want("holdgate.acquire.duration", "holdgate.lock=report,outcome=ok", point{n: 1})
		if got := r.points("holdgate.holds"); len(got) != 2 {
			t.Errorf("series of holds: got %v", got)
		}
	})
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	r := newRig(t, nil)
	gate, err := fence.NewGate(&fence.GateOptions{OnRefuse: r.watch.Refused})
	must(t, err)
	must(t, gate.Check(fence.Pass{Name: "x", Token: 8}))
	_ = gate.Check(fence.Pass{Name: "x", Token: 7})
	r.want("holdgate.fence.refused", "", point{n: 1})
}

// A caller waits for another one of its process: its span is a child of its own caller's, and
// has a link to the hold that it waited for.
func TestSpans(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, nil)
		c := r.client(memdriver.NewStore())
		first, err := c.Mutex("orders/42").Lock(t.Context())
		must(t, err)
		ctx, parent := r.traces.Tracer("test").Start(t.Context(), "request")
		done := make(chan struct{})
		go func() {
			defer close(done)
			h, err := c.Mutex("orders/42").Lock(ctx)
			if err != nil {
				t.Error(err)
				return
			}
			time.Sleep(time.Second)
			must(t, h.Release(ctx))
		}()
		synctest.Wait()
		time.Sleep(time.Minute)
		must(t, first.Release(t.Context()))
		<-done
		parent.End()
		must(t, c.Close(t.Context()))

		acquires, holds := r.named("holdgate acquire"), r.named("holdgate hold")
		if len(acquires) != 2 || len(holds) != 2 {
			t.Fatalf("got %d acquires and %d holds", len(acquires), len(holds))
		}
		waited, held := acquires[1], holds[1]
		if got := waited.EndTime().Sub(waited.StartTime()); got != time.Minute {
			t.Errorf("it waited %v by its span, want a minute", got)
		}
		if waited.Parent().SpanID() != parent.SpanContext().SpanID() {
			t.Error("the span of the wait is no child of its caller's")
		}
		if links := waited.Links(); len(links) != 1 || links[0].SpanContext.SpanID() != holds[0].SpanContext().SpanID() {
			t.Errorf("the span of the wait has the links %v, want one to the hold before", links)
		}
		if len(acquires[0].Links()) != 0 {
			t.Error("who did not wait has a link")
		}
		if got := held.EndTime().Sub(held.StartTime()); got != time.Second || held.Parent().TraceID() != parent.SpanContext().TraceID() {
			t.Errorf("the span of the hold: %v, in trace %v", got, held.Parent().TraceID())
		}
		if !slices.Contains(held.Attributes(), attribute.String("holdgate.lock", "orders/42")) {
			t.Errorf("the span of the hold has %v", held.Attributes())
		}
	})
}

// named are the spans of this name that have ended, in the order of their ends.
func (r *rig) named(name string) (found []sdktrace.ReadOnlySpan) {
	for _, span := range r.spans.Ended() {
		if span.Name() == name {
			found = append(found, span)
		}
	}
	return found
}
