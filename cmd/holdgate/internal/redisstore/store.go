package redisstore

import (
	"context"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
)

// Store is a driver that owns its client.
type Store struct {
	*redisdriver.Driver
	client redis.UniversalClient
}

// Open returns a driver. It does not wait for the store.
func (c *Config) Open() (driver.Driver, error) {
	redis.SetLogger(silence{}) // else it writes between what the commands say
	client, err := c.client()
	if err != nil {
		return nil, err
	}
	if c.layout == driver.LayoutSingle {
		return c.openSingle(client)
	}
	drv, err := redisdriver.New(client, &redisdriver.Options{Prefix: c.prefix})
	if err != nil {
		_ = client.Close() // nothing was asked of it
		return nil, err
	}
	return &Store{Driver: drv, client: client}, nil
}

func (c *Config) client() (redis.UniversalClient, error) {
	secure, err := c.tls.Load()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", remote.ErrFiles, err)
	}
	if secure != nil {
		secure.ServerName = c.tls.ServerName
	}
	switch {
	case c.sentinel():
		return redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: c.primary, SentinelAddrs: c.addresses, DB: c.database,
			Username: c.user, Password: c.password, TLSConfig: secure,
		}), nil
	case c.cluster():
		return redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: c.addresses, Username: c.user, Password: c.password, TLSConfig: secure,
		}), nil
	default:
		return redis.NewClient(&redis.Options{
			Addr: c.addresses[0], DB: c.database, Username: c.user, Password: c.password, TLSConfig: secure,
		}), nil
	}
}

// Close closes the driver and the client.
func (s *Store) Close() error {
	err := s.Driver.Close()
	_ = s.client.Close() // nothing was under way on it
	return err
}

// silence is a log that nobody reads.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}
