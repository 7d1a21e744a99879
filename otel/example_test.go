package otel_test

import (
	"context"
	"fmt"

	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/otel"
)

// A program gives its own providers, or leaves them out for the global ones. The reader here
// stands for an exporter.
func ExampleNew() {
	ctx := context.Background()
	reader := metric.NewManualReader()
	watch, err := otel.New(&otel.Options{Meters: metric.NewMeterProvider(metric.WithReader(reader))})
	if err != nil {
		fmt.Println(err)
		return
	}
	client, err := holdgate.New(memdriver.New(), &holdgate.Options{OnEvent: watch.Event})
	if err != nil {
		fmt.Println(err)
		return
	}
	hold, err := client.Mutex("orders/42").Lock(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	var all metricdata.ResourceMetrics
	if err = reader.Collect(ctx, &all); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		if sum, ok := m.Data.(metricdata.Sum[int64]); ok {
			fmt.Println(m.Name, sum.DataPoints[0].Value)
		}
	}
	fmt.Println(hold.Release(ctx), client.Close(ctx))
	// Output:
	// holdgate.waiters 0
	// holdgate.holds 1
	// holdgate.sessions 1
	// <nil> <nil>
}
