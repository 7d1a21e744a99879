package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/cmd/holdgate/storeurl"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/driver/etcdembed"
)

// front is the HTTP API with what it stands on. A nil front is none.
type front struct {
	web    *web
	drv    driver.Driver
	client *clientv3.Client // nil: the driver's own affair
}

// openFront serves the HTTP API over the member, if that was asked for.
func openFront(ctx context.Context, log *slog.Logger, f webFlags, member *etcdembed.Server) (*front, error) {
	if f.listen == "" {
		return nil, nil //nolint:nilnil // a nil front is none
	}
	client, err := member.Client()
	if err != nil {
		return nil, fmt.Errorf("reach the member: %w", err)
	}
	drv, err := etcddriver.New(client, nil)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	w, err := startWeb(ctx, log, f, drv)
	if err != nil {
		return nil, errors.Join(err, drv.Close(), client.Close())
	}
	return &front{web: w, drv: drv, client: client}, nil
}

// failed has why the API ended, if nobody asked for that.
func (f *front) failed() <-chan error {
	if f == nil {
		return nil
	}
	return f.web.failed
}

func (f *front) close(ctx context.Context) {
	if f == nil {
		return
	}
	f.web.close(ctx)
	_ = f.drv.Close() // it is only let go
	if f.client != nil {
		_ = f.client.Close() // likewise
	}
}

// openIn is how long a store may take that has to be asked first.
const openIn = 30 * time.Second

// serveStore serves the HTTP API over the store of a URL, until ctx ends.
func serveStore(ctx context.Context, log *slog.Logger, f webFlags) error {
	log.LogAttrs(ctx, slog.LevelInfo, "starting", slog.String("version", version()))
	within, cancel := context.WithTimeout(ctx, openIn)
	drv, shown, err := storeurl.Open(within, f.store, os.Getenv)
	cancel()
	switch {
	case errors.Is(err, storeurl.ErrURL):
		return usage("--store: %w", err)
	case err != nil:
		return fmt.Errorf("--store: %w", err)
	}
	log.LogAttrs(ctx, slog.LevelInfo, "store", slog.String("url", shown))
	w, err := startWeb(ctx, log, f, drv)
	if err != nil {
		return errors.Join(err, drv.Close())
	}
	front := &front{web: w, drv: drv}
	tellManager(ctx, log, ready)
	select {
	case <-ctx.Done():
		log.LogAttrs(ctx, slog.LevelInfo, "stopping")
	case err = <-front.failed():
	}
	tellManager(ctx, log, stopping)
	front.close(ctx)
	return err
}
