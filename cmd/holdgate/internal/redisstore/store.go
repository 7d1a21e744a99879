package redisstore

import (
	"context"
	"crypto/tls"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
)

// Store is a driver that owns its client.
type Store struct {
	*redisdriver.Driver
	config *Config
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
	return &Store{Driver: drv, config: c, client: client}, nil
}

func (c *Config) client() (redis.UniversalClient, error) {
	secure, err := c.secure()
	if err != nil {
		return nil, err
	}
	switch {
	case c.sentinel():
		return redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: c.primary, SentinelAddrs: c.addresses, DB: c.database,
			SentinelUsername: c.sentinelUser, SentinelPassword: c.sentinelPassword,
			Username: c.user, Password: c.password, TLSConfig: secure,
		}), nil
	case c.cluster():
		return redis.NewClusterClient(&redis.ClusterOptions{
			Addrs: c.addresses, Username: c.user, Password: c.password, TLSConfig: secure,
		}), nil
	default:
		o, err := c.serverOptions(c.addresses[0])
		if err != nil {
			return nil, err
		}
		return redis.NewClient(o), nil
	}
}

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

// serverOptions are those of a client of one server.
func (c *Config) serverOptions(address string) (*redis.Options, error) {
	secure, err := c.secure()
	return &redis.Options{Addr: address, DB: c.database, Username: c.user, Password: c.password, TLSConfig: secure}, err
}

// sentinelOptions are those of a client of one sentinel.
func (c *Config) sentinelOptions(address string) (*redis.Options, error) {
	secure, err := c.secure()
	return &redis.Options{Addr: address, Username: c.sentinelUser, Password: c.sentinelPassword, TLSConfig: secure}, err
}

// Inspect is that of the Config.
func (s *Store) Inspect(ctx context.Context) []health.Server { return s.config.Inspect(ctx) }

// Close closes the driver and the client.
func (s *Store) Close() error {
	err := s.Driver.Close()
	_ = s.client.Close() // nothing was under way on it
	return err
}

// silence is a log that nobody reads.
type silence struct{}

func (silence) Printf(context.Context, string, ...any) {}
