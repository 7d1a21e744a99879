package zkstore

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver/zkdriver"
)

// Store is a driver that knows how its servers are.
type Store struct {
	*zkdriver.Driver
	config *Config
}

// Open returns a driver. It does not wait for the store.
func (c *Config) Open() (*Store, error) {
	secure, err := c.secure()
	if err != nil {
		return nil, err
	}
	d, err := c.driver(secure, c.servers...)
	if err != nil {
		return nil, err
	}
	return &Store{Driver: d, config: c}, nil
}

// Inspect asks all servers how they are: see [Config.Inspect].
func (s *Store) Inspect(ctx context.Context) []health.Server { return s.config.Inspect(ctx) }

// secure is how connections are made safe; nil: they are not.
func (c *Config) secure() (*tls.Config, error) {
	secure, err := c.tls.Load()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", remote.ErrFiles, err)
	}
	if secure != nil {
		secure.ServerName = c.tls.ServerName
	}
	return secure, nil
}

// driver is one over some of the servers.
func (c *Config) driver(secure *tls.Config, servers ...string) (*zkdriver.Driver, error) {
	o := c.options
	o.TLS = secure
	return zkdriver.New(servers, &o)
}
