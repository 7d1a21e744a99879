package redisstore

import (
	"context"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
)

// singleStore is a driver of the layout "single" that owns its client.
type singleStore struct {
	*redisdriver.Single
	config *Config
	client redis.UniversalClient
}

func (c *Config) openSingle(client redis.UniversalClient) (driver.Driver, error) {
	drv, err := redisdriver.NewSingle(client, &redisdriver.Options{Prefix: c.prefix})
	if err != nil {
		_ = client.Close() // nothing was asked of it
		return nil, err
	}
	return &singleStore{Single: drv, config: c, client: client}, nil
}

// Inspect is that of the Config.
func (s *singleStore) Inspect(ctx context.Context) []health.Server { return s.config.Inspect(ctx) }

// Close closes the driver and the client.
func (s *singleStore) Close() error {
	err := s.Single.Close()
	_ = s.client.Close() // nothing was under way on it
	return err
}
