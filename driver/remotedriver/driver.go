package remotedriver

import (
	"context"
	"fmt"
	"net/http"
	"sync"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// Driver is a handle on the store behind the servers. Its methods are safe for concurrent
// use.
type Driver struct {
	servers   []string
	token     string
	client    *http.Client
	transport *http.Transport // the driver's own, else nil
	features  driver.Features

	// ctx ends with the handle.
	ctx  context.Context //nolint:containedctx // the handle's own lifetime
	stop context.CancelCauseFunc

	mu      sync.Mutex
	current int // the server that is asked
}

var (
	_ driver.Driver = (*Driver)(nil)
	_ driver.KV     = (*Driver)(nil)
)

// New returns a driver over servers that have one store, each named by a URL such as
// https://locks.example.test:8443. It asks them what that store can do, as long as ctx lets
// it. One of them is used as long as it answers.
func New(ctx context.Context, servers []string, o *Options) (*Driver, error) {
	urls, err := readServers(servers)
	if err != nil {
		return nil, err
	}
	d := &Driver{servers: urls}
	if d.token, err = o.token(); err != nil {
		return nil, err
	}
	transport, own := o.transport()
	if own {
		d.transport, _ = transport.(*http.Transport)
	}
	d.client = &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
	d.ctx, d.stop = context.WithCancelCause(context.Background())
	if d.features, err = d.learn(ctx); err != nil {
		_ = d.Close()
		return nil, fmt.Errorf("remotedriver: %w", err)
	}
	return d, nil
}

// learn asks what the store can do: each server once, until one answers.
func (d *Driver) learn(ctx context.Context) (driver.Features, error) {
	var err error
	for range d.servers {
		var f api.Features
		if err = d.do(ctx, request{method: http.MethodGet, path: api.PathFeatures, answer: &f}); err == nil {
			return f.Driver(), nil
		}
	}
	return driver.Features{}, err
}

// Features are those of the store behind the servers, as far as they reach through them.
func (d *Driver) Features() driver.Features { return d.features }

// Close ends this handle. Its sessions expire, as if the process had died.
func (d *Driver) Close() error {
	d.stop(driver.ErrClosed)
	if d.transport != nil {
		d.transport.CloseIdleConnections()
	}
	return nil
}

// Line returns one line, up to date.
func (d *Driver) Line(ctx context.Context, name string) (driver.Line, error) {
	if err := driver.CheckName(name); err != nil {
		return driver.Line{}, err
	}
	var l api.Line
	err := d.do(ctx, request{
		method: http.MethodGet, path: api.PathLine, query: query{api.QueryName: name}, answer: &l,
	})
	if err != nil {
		return driver.Line{}, fmt.Errorf("line %q: %w", name, err)
	}
	return l.Driver()
}

// Evict asks a place to go.
func (d *Driver) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if err := driver.CheckName(line); err != nil {
		return err
	}
	if err := e.Check(); err != nil {
		return err
	}
	e.Line, e.PlaceID = line, placeID
	err := d.do(ctx, request{method: http.MethodPost, path: api.PathEvictions, writes: true, body: api.EvictionOf(e)})
	if err != nil {
		return fmt.Errorf("evict from %q: %w", line, err)
	}
	return nil
}

// server is the one that is asked now.
func (d *Driver) server() (int, string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.current, d.servers[d.current]
}

// leave asks another server from now on, unless that was decided already.
func (d *Driver) leave(n int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.current == n {
		d.current = (n + 1) % len(d.servers)
	}
}
