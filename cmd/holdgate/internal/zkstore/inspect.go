package zkstore

import (
	"context"
	"crypto/tls"
	"errors"
	"sync"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/driver"
)

// inspectIn bounds how long a server may take.
const inspectIn = 5 * time.Second

var errSilent = errors.New("no answer")

// Inspect asks all servers, each on connections of its own and all at once, how they are.
// What they tell of themselves is asked for by a word that their configuration may forbid.
// Whether a lock could be taken is found out all the same: by a write.
func (c *Config) Inspect(ctx context.Context) []health.Server {
	ctx, cancel := context.WithTimeoutCause(ctx, inspectIn, errSilent)
	defer cancel()
	secure, err := c.secure()
	all := make([]health.Server, len(c.servers))
	var asked sync.WaitGroup
	for i, server := range c.servers {
		all[i] = health.Server{Endpoint: server, Err: err}
		if err == nil {
			asked.Go(func() { all[i].Err = plain(ctx, c.look(ctx, secure, &all[i])) }) // ends with ctx
		}
	}
	asked.Wait()
	return all
}

// look asks a server. An error says why no lock could be taken through it.
func (c *Config) look(ctx context.Context, secure *tls.Config, h *health.Server) error {
	text, err := ask(ctx, secure, h.Endpoint)
	if err != nil {
		return err
	}
	if err := read(text, h); err != nil {
		return err
	}
	return c.write(ctx, secure, h)
}

// write has the server do what every lock needs: get a write agreed upon.
func (c *Config) write(ctx context.Context, secure *tls.Config, h *health.Server) error {
	d, err := c.driver(secure, h.Endpoint)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // it is of no more use
	// The first one connects, too.
	for range 2 {
		begun := time.Now()
		_, err := d.Line(ctx, "status") // begins with a write
		if err != nil && !errors.Is(err, driver.ErrDenied) {
			return err
		}
		h.Took = time.Since(begun) // that we may not is an answer, too
	}
	return nil
}

// plain is an error without what it is known by.
func plain(ctx context.Context, err error) error {
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
