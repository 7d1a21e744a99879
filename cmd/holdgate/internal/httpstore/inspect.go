package httpstore

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/driver"
)

// inspectIn bounds how long a server may take.
const inspectIn = 5 * time.Second

var errSilent = errors.New("no answer")

// Inspect asks all servers at once whether the store behind them answers.
func (c *Config) Inspect(ctx context.Context) []health.Server {
	ctx, cancel := context.WithTimeoutCause(ctx, inspectIn, errSilent)
	defer cancel()
	all := make([]health.Server, len(c.servers))
	var asked sync.WaitGroup
	for i, server := range c.servers {
		all[i] = health.Server{Endpoint: c.scheme + "://" + server + c.path}
		asked.Go(func() { all[i].Err = c.look(ctx, server, &all[i]) }) // ends with ctx
	}
	asked.Wait()
	return all
}

// look asks a server. An error says why no lock could be taken through it.
func (c *Config) look(ctx context.Context, server string, h *health.Server) error {
	d, err := c.open(ctx, server)
	if err != nil {
		return err
	}
	defer func() { _ = d.Close() }() // it is of no more use
	begun := time.Now()
	if _, err := d.Line(ctx, "status"); err != nil && !errors.Is(err, driver.ErrDenied) {
		return err
	}
	h.Took = time.Since(begun) // that we may not is an answer, too
	h.Role = "server over " + d.Features().Store
	return nil
}
