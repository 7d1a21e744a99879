package server

import (
	"context"
	"log/slog"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// observed logs and counts requests.
func (s *Server) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := time.Now()
		seen := &sighting{}
		answer := &watched{ResponseWriter: w}
		s.metrics.underWay.Inc()
		defer func() {
			s.metrics.underWay.Dec()
			s.tell(r, seen, answer.outcome(), time.Since(began))
		}()
		next.ServeHTTP(answer, r.WithContext(context.WithValue(r.Context(), sightingKey{}, seen)))
	})
}

// sighting is what is learned of a request while it is served.
type sighting struct{ caller, operation string }

type sightingKey struct{}

// note notes who sent a request.
func note(ctx context.Context, who *caller) {
	if seen, ok := ctx.Value(sightingKey{}).(*sighting); ok {
		seen.caller = who.name
	}
}

// notePattern notes what a request asks for.
func notePattern(ctx context.Context, pattern string) {
	if seen, ok := ctx.Value(sightingKey{}).(*sighting); ok {
		seen.operation = pattern
	}
}

// tell logs and counts one request. Neither its path nor its query nor any header is
// logged: sessions' names and tokens are in them.
func (s *Server) tell(r *http.Request, seen *sighting, status int, took time.Duration) {
	operation := seen.operation
	if operation == "" {
		operation = "none"
	}
	s.metrics.requests.WithLabelValues(operation, strconv.Itoa(status)).Inc()
	s.metrics.took.WithLabelValues(operation).Observe(took.Seconds())
	level := slog.LevelDebug
	if status >= http.StatusInternalServerError {
		level = slog.LevelWarn
	}
	s.opts.Logger.LogAttrs(r.Context(), level, "request",
		slog.String("operation", operation), slog.Int("status", status), slog.Duration("took", took),
		slog.String("caller", seen.caller), slog.String("from", r.RemoteAddr))
}

// watched keeps the status of an answer.
type watched struct {
	http.ResponseWriter
	status int
}

func (w *watched) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *watched) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *watched) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.ResponseWriter.Write(b)
}

// outcome is the status, 200 where none was written.
func (w *watched) outcome() int {
	if w.status == 0 {
		return http.StatusOK
	}
	return w.status
}

func (s *Server) logSlow(ctx context.Context, who *caller) {
	s.opts.Logger.LogAttrs(ctx, slog.LevelInfo, "listener dropped", slog.String("reason", errSlow.Error()),
		slog.String("caller", who.name), slog.String("from", who.from))
}

// metrics are what Prometheus reads.
type metrics struct {
	requests *prometheus.CounterVec
	took     *prometheus.HistogramVec
	underWay prometheus.Gauge
	dropped  prometheus.Counter
	faults   prometheus.Counter
}

func newMetrics(s *Server) (*metrics, error) {
	m := &metrics{
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "holdgate_http_requests_total", Help: "Requests by operation and status.",
		}, []string{"operation", "status"}),
		took: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "holdgate_http_request_seconds", Help: "How long requests took, with what they waited.",
			Buckets: prometheus.ExponentialBuckets(0.0005, 4, 10),
		}, []string{"operation"}),
		underWay: prometheus.NewGauge(prometheus.GaugeOpts{
			Name: "holdgate_http_requests_under_way", Help: "Requests under way: waits and streams, too.",
		}),
		dropped: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdgate_http_listeners_dropped_total", Help: "Streams that ended because their client did not read.",
		}),
		faults: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "holdgate_http_faults_total", Help: "Requests that ended in a fault of the server.",
		}),
	}
	all := []prometheus.Collector{
		m.requests, m.took, m.underWay, m.dropped, m.faults,
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdgate_http_sessions", Help: "Sessions that this server carries on.",
		}, func() float64 { return float64(s.sessions.count()) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdgate_http_places", Help: "Places that were entered through this server and not left.",
		}, func() float64 { return float64(s.quotas.total(quotaPlaces)) }),
		prometheus.NewGaugeFunc(prometheus.GaugeOpts{
			Name: "holdgate_http_listeners", Help: "Streams that are open.",
		}, func() float64 { return float64(s.quotas.total(quotaListeners)) }),
	}
	for _, c := range all {
		if err := s.opts.Registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}
