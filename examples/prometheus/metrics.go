package main

import (
	"context"
	"net/http"
	"strings"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	exporter "go.opentelemetry.io/otel/exporters/prometheus"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/holdgate/holdgate/otel"
)

// metrics are what locks do, for Prometheus to fetch.
type metrics struct {
	*otel.Watch
	http.Handler
	provider *metric.MeterProvider
}

// newMetrics puts together what goes from a client to Prometheus: the client's events, OpenTelemetry's
// meters, their exporter, a registry of its own, a page.
func newMetrics() (*metrics, error) {
	registry := prometheus.NewRegistry()
	reader, err := exporter.New(exporter.WithRegisterer(registry))
	if err != nil {
		return nil, err
	}
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	watch, err := otel.New(&otel.Options{Meters: provider, Label: kind})
	if err != nil {
		return nil, err
	}
	return &metrics{watch, promhttp.HandlerFor(registry, promhttp.HandlerOpts{}), provider}, nil
}

// Close ends the measuring.
func (m *metrics) Close(ctx context.Context) error { return m.provider.Shutdown(ctx) }

// kind is what a lock is labelled with: "orders" for "orders/42". Each label is a series of its own, so
// there must be few.
func kind(name string) string {
	before, _, _ := strings.Cut(name, "/")
	return before
}
