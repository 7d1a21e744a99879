//go:build !noredis

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/redisstore"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
)

func redisSchemes() []scheme {
	return []scheme{
		{redisstore.Scheme, "redis://host", true, readRedis},
		{redisstore.SchemeTLS, "rediss:// (with TLS)", true, readRedis},
		{redisstore.Sentinel, "redis+sentinel://host1,host2/primary", true, readRedis},
		{redisstore.SentinelTLS, "rediss+sentinel://", true, readRedis},
		{redisstore.Cluster, "redis+cluster://host1,host2", true, readRedis},
		{redisstore.ClusterTLS, "rediss+cluster://", true, readRedis},
	}
}

func readRedis(at address, env func(string) string) (Store, error) {
	c, err := redisstore.Read(at.url, at.hosts, env)
	if err != nil {
		return Store{}, fmt.Errorf("%w; see holdgate help store", err)
	}
	open := func(context.Context) (driver.Driver, error) {
		s, err := c.Open()
		switch {
		case errors.Is(err, remote.ErrFiles):
			return nil, fmt.Errorf("%w: %w", ErrURL, err)
		case err != nil:
			return nil, err
		}
		return s, nil
	}
	return Store{text: c.String(), open: open}, nil
}
