package main

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/server"
	"github.com/holdgate/holdgate/server/dashboard"
)

// drainFor is how long requests that are under way may take when the daemon stops.
const drainFor = 10 * time.Second

// web is the HTTP API while it is served.
type web struct {
	flags webFlags
	log   *slog.Logger
	api   *server.Server
	http  *http.Server
	tls   currentTLS

	serving sync.WaitGroup
	stop    context.CancelFunc // of what waits for signals
	failed  chan error         // has why it ended, if nobody asked for that
}

// startWeb serves the HTTP API over a driver, which stays the caller's.
func startWeb(ctx context.Context, log *slog.Logger, f webFlags, drv driver.Driver) (*web, error) {
	access, err := f.readAccess()
	if err != nil {
		return nil, err
	}
	certificates, err := f.readTLS()
	if err != nil {
		return nil, err
	}
	log = log.With(slog.String("component", "http"))
	api, err := server.New(drv, &server.Options{
		Access: access, Logger: log, Version: version(), Root: dashboard.Handler(), History: true,
	})
	if err != nil {
		return nil, err
	}
	listening := server.ListenConfig()
	l, err := listening.Listen(ctx, "tcp", f.listen)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("--http: %w", err), api.Close())
	}
	w := &web{flags: f, log: log, api: api, http: api.HTTPServer(), failed: make(chan error, 1)}
	scheme := "http"
	if certificates != nil {
		scheme = "https"
		w.tls.now.Store(certificates)
		l = tls.NewListener(l, w.tls.config())
	}
	signals, stop := context.WithCancel(context.WithoutCancel(ctx))
	w.stop = stop
	w.serving.Go(func() { w.serve(l) })             // until close
	w.serving.Go(func() { w.reloadOnHUP(signals) }) // likewise
	log.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("address", scheme+"://"+l.Addr().String()),
		slog.Bool("access", access != nil))
	return w, nil
}

func (w *web) serve(l net.Listener) {
	if err := w.http.Serve(l); !errors.Is(err, http.ErrServerClosed) {
		w.failed <- fmt.Errorf("the HTTP API ended: %w", err)
	}
}

// reloadOnHUP reads the files again when SIGHUP says so, until ctx ends.
func (w *web) reloadOnHUP(ctx context.Context) {
	hup := make(chan os.Signal, 1)
	defer notifyHUP(hup)()
	for {
		select {
		case <-hup:
			w.reload(ctx)
		case <-ctx.Done():
			return
		}
	}
}

// reload reads who may do what, and the certificates, again. What is wrong with one of them
// changes nothing.
func (w *web) reload(ctx context.Context) {
	access, err := w.flags.readAccess()
	certificates, wrong := w.flags.readTLS()
	if err = errors.Join(err, wrong); err != nil {
		w.log.LogAttrs(ctx, slog.LevelError, "not reloaded", slog.String("error", err.Error()))
		return
	}
	w.api.SetAccess(access)
	if certificates != nil {
		w.tls.now.Store(certificates)
	}
	w.log.LogAttrs(ctx, slog.LevelInfo, "reloaded")
}

// close ends the API in order: requests that wait are sent away, the others are answered.
func (w *web) close(ctx context.Context) {
	w.api.Drain()
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), drainFor)
	defer cancel()
	if err := w.http.Shutdown(ctx); err != nil {
		w.log.LogAttrs(ctx, slog.LevelWarn, "requests were cut off", slog.String("error", err.Error()))
		_ = w.http.Close() // what could be answered was
	}
	w.stop()
	_ = w.api.Close() // it has nothing to say
	w.serving.Wait()
}
