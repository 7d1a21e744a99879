package otel

import (
	"errors"

	"go.opentelemetry.io/otel/metric"
)

// instruments are what is measured with.
type instruments struct {
	acquire, hold, renew, slack          metric.Float64Histogram
	waiters, holds                       metric.Int64UpDownCounter
	lost, opened, ended, strays, refused metric.Int64Counter
}

// bounds of the histograms, in seconds: from a hand-over in memory to a wait of an hour.
func bounds() metric.HistogramOption {
	return metric.WithExplicitBucketBoundaries(
		0.0001, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900, 3600)
}

func (i *instruments) init(m metric.Meter) error {
	var failed []error
	seconds := func(name, what string) metric.Float64Histogram {
		h, err := m.Float64Histogram(name, metric.WithUnit("s"), metric.WithDescription(what), bounds())
		failed = append(failed, err)
		return h
	}
	level := func(name, unit, what string) metric.Int64UpDownCounter {
		c, err := m.Int64UpDownCounter(name, metric.WithUnit(unit), metric.WithDescription(what))
		failed = append(failed, err)
		return c
	}
	count := func(name, unit, what string) metric.Int64Counter {
		c, err := m.Int64Counter(name, metric.WithUnit(unit), metric.WithDescription(what))
		failed = append(failed, err)
		return c
	}
	i.acquire = seconds("holdgate.acquire.duration", "How long a call of Lock took.")
	i.hold = seconds("holdgate.hold.duration", "How long a lock was held.")
	i.renew = seconds("holdgate.renew.duration", "How long a renewal of the session took.")
	i.slack = seconds("holdgate.renew.slack", "How long before the end of trust a renewal was answered.")
	i.waiters = level("holdgate.waiters", "{call}", "Calls of Lock that are under way.")
	i.holds = level("holdgate.holds", "{hold}", "Locks that are held.")
	i.lost = count("holdgate.lost", "{hold}", "Holds that were lost.")
	i.opened = count("holdgate.sessions", "{session}", "Sessions that were opened.")
	i.ended = count("holdgate.sessions.lost", "{session}", "Sessions that were lost.")
	i.strays = count("holdgate.strays", "{place}", "Places that nobody waited for, and were removed.")
	i.refused = count("holdgate.fence.refused", "{write}", "Writes of older holders that were refused.")
	return errors.Join(failed...)
}
