package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/holdgate/holdgate/driver"
)

// Options are for New. Zero values are the defaults.
type Options struct {
	// Access says who may do what. With nil everybody may do everything; once there is one,
	// nobody may do what it does not say.
	Access *Access
	// Limits bound what one caller, and one request, may take.
	Limits Limits
	// Logger gets one line for each request that is not a success, at level debug one for
	// every request, and what fails in the background.
	Logger *slog.Logger
	// Audit gets one line for every eviction: who, what and why. The default is Logger.
	Audit *slog.Logger
	// Root serves what is not under /v1, /healthz, /readyz and /metrics: the dashboard.
	Root http.Handler
	// History has the server watch all lines from its start, and remember how long waits and
	// holds took, the last grants of each line, and how many waited when: what happened before
	// somebody looked. It costs the store a watch, and up to 6 KiB for each of 16,384 lines.
	History bool
	// Registry is where metrics are registered; by default a new one.
	Registry *prometheus.Registry
	// Version is told in the OpenAPI document.
	Version string
}

// Limits bound what one caller, and one request, may take of one server.
type Limits struct {
	// Sessions and Places are how many one caller may have; by default 10,000 and 100,000.
	Sessions, Places int
	// Listeners are how many streams one caller may have open; by default 10,000.
	Listeners int
	// Wait is how long one request may wait; by default 1 minute. Who wants to wait for
	// longer asks again.
	Wait time.Duration
	// Body is how many bytes a request may have; by default 1 MiB.
	Body int64
	// Read is how long a client may take to send a request, and Write how long it may leave
	// an answer or an event unread; by default 10 s each.
	Read, Write time.Duration
	// MinTTL is the shortest time to live of a session; by default that of the store.
	MinTTL time.Duration
}

func (o *Options) withDefaults() (Options, error) {
	var opts Options
	if o != nil {
		opts = *o
	}
	l := &opts.Limits
	for name, n := range map[string]int64{
		"Sessions": int64(l.Sessions), "Places": int64(l.Places), "Listeners": int64(l.Listeners), "Wait": int64(l.Wait),
		"Body": l.Body, "Read": int64(l.Read), "Write": int64(l.Write), "MinTTL": int64(l.MinTTL),
	} {
		if n < 0 {
			return opts, fmt.Errorf("server: %w: Limits.%s is not negative, %d is", driver.ErrInvalid, name, n)
		}
	}
	setDefault(&l.Sessions, 10_000)
	setDefault(&l.Places, 100_000)
	setDefault(&l.Listeners, 10_000)
	setDefault(&l.Wait, time.Minute)
	setDefault(&l.Body, 1<<20)
	setDefault(&l.Read, 10*time.Second)
	setDefault(&l.Write, 10*time.Second)
	if opts.Logger == nil {
		opts.Logger = slog.New(slog.DiscardHandler)
	}
	if opts.Audit == nil {
		opts.Audit = opts.Logger
	}
	if opts.Registry == nil {
		opts.Registry = prometheus.NewRegistry()
	}
	if opts.Version == "" {
		opts.Version = "unknown"
	}
	return opts, nil
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}
