// Command prometheus works under locks, and serves what they do at /metrics for Prometheus to fetch:
// how long a lock was waited for and held, how many were lost and why, and how near a session came
// to its end before it was renewed.
//
//	prometheus -dir /tmp/locks -listen 127.0.0.1:9464
//	curl http://127.0.0.1:9464/metrics
//
// Start a second one on another port, and see them wait for each other. docs/observability.md says
// which of the metrics to wake somebody for; in Prometheus the first of them reads
//
//	histogram_quantile(0.01, sum by (le) (rate(holdgate_renew_slack_seconds_bucket[5m]))) < 5
//
// The exporter is this program's choice: the module otel knows OpenTelemetry's interfaces and
// nothing behind them.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/signal"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

func main() {
	dir := flag.String("dir", "", "directory with the locks")
	listen := flag.String("listen", "127.0.0.1:9464", "where to serve /metrics")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	log := slog.New(slog.NewTextHandler(os.Stderr, nil))
	if err := open(ctx, *dir, *listen, log); err != nil {
		log.LogAttrs(ctx, slog.LevelError, "ended", slog.Any("err", err))
		os.Exit(1)
	}
}

func open(ctx context.Context, dir, address string, log *slog.Logger) error {
	if dir == "" {
		return errors.New("name the directory of the locks: -dir")
	}
	drv, err := filedriver.Open(dir, nil)
	if err != nil {
		return err
	}
	defer drv.Close() //nolint:errcheck,contextcheck // the client has given back what it had
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	log.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("url", "http://"+l.Addr().String()+"/metrics"))
	return run(ctx, drv, l, work)
}

// run works and serves until the context ends.
func run(ctx context.Context, drv driver.Driver, l net.Listener, work func(context.Context, *holdgate.Client) error) (err error) {
	m, err := newMetrics()
	if err != nil {
		return errors.Join(err, l.Close())
	}
	end := context.WithoutCancel(ctx)
	defer func() { err = errors.Join(err, m.Close(end)) }()
	client, err := holdgate.New(drv, &holdgate.Options{OnEvent: m.Event})
	if err != nil {
		return errors.Join(err, l.Close())
	}
	defer func() { err = errors.Join(err, client.Close(end)) }()
	mux := http.NewServeMux()
	mux.Handle("/metrics", m)
	server := &http.Server{Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }() // ended and awaited below
	err = work(ctx, client)
	err = errors.Join(err, server.Close())
	if failed := <-served; !errors.Is(failed, http.ErrServerClosed) {
		err = errors.Join(err, failed)
	}
	return err
}

// work does something under one of a few locks, again and again.
func work(ctx context.Context, client *holdgate.Client) error {
	for {
		err := client.Do(ctx, fmt.Sprintf("orders/%d", rand.N(3)), func(ctx context.Context, _ *holdgate.Hold) error {
			select {
			case <-ctx.Done():
			case <-time.After(rand.N(2 * time.Second)): // an order is packed
			}
			return nil
		})
		switch {
		case ctx.Err() != nil:
			return nil
		case errors.Is(err, holdgate.ErrLost), errors.Is(err, holdgate.ErrUnavailable):
			// The metrics have it. Client.Do waited for the store for a TTL.
		case err != nil:
			return err
		}
	}
}
