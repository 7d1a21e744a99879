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
		{redisstore.Scheme, true, readRedis},
		{redisstore.SchemeTLS, true, readRedis},
		{redisstore.Sentinel, true, readRedis},
		{redisstore.SentinelTLS, true, readRedis},
		{redisstore.Cluster, true, readRedis},
		{redisstore.ClusterTLS, true, readRedis},
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
	return Store{text: c.String(), open: open, inspect: c.Inspect}, nil
}
