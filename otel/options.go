package otel

import (
	"fmt"

	global "go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/trace"
)

// scope is the name of what measures.
const scope = "github.com/holdgate/holdgate/otel"

// Options configure a Watch. Zero values are the defaults.
type Options struct {
	// Meters and Tracers are where it all goes. Default: the global providers.
	Meters  metric.MeterProvider
	Tracers trace.TracerProvider
	// Label returns what the metrics of a lock are labelled with, as holdgate.lock, "" for
	// no label: a name with its IDs cut off, so that there are few of them. Nil: none.
	Label func(name string) string
}

// New returns a watch. Nil options are the defaults.
func New(o *Options) (*Watch, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	if opts.Meters == nil {
		opts.Meters = global.GetMeterProvider()
	}
	if opts.Tracers == nil {
		opts.Tracers = global.GetTracerProvider()
	}
	if opts.Label == nil {
		opts.Label = func(string) string { return "" }
	}
	w := &Watch{
		label:  opts.Label,
		tracer: opts.Tracers.Tracer(scope),
		open:   make(map[grant]*hold),
		latest: make(map[string]*hold),
	}
	if err := w.instruments.init(opts.Meters.Meter(scope)); err != nil {
		return nil, fmt.Errorf("otel: %w", err)
	}
	return w, nil
}
