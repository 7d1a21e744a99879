package arch

// otelAPI is what OpenTelemetry's interfaces are built from. The SDK behind them is the
// program's choice.
func otelAPI() []string {
	return []string{
		"go.opentelemetry.io/otel",
		"go.opentelemetry.io/otel/attribute/...",
		"go.opentelemetry.io/otel/baggage/...",
		"go.opentelemetry.io/otel/codes",
		"go.opentelemetry.io/otel/internal/...",
		"go.opentelemetry.io/otel/metric/...",
		"go.opentelemetry.io/otel/propagation",
		"go.opentelemetry.io/otel/semconv/...",
		"go.opentelemetry.io/otel/trace/...",
		// What they bring along.
		"go.opentelemetry.io/auto/sdk/...",
		"github.com/cespare/xxhash/...",
		"github.com/go-logr/...",
	}
}
