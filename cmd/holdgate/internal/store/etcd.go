//go:build !noetcd

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/etcdstore"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
)

func etcdSchemes() []scheme {
	return []scheme{
		{etcdstore.Scheme, true, readEtcd},
		{etcdstore.SchemeTLS, true, readEtcd},
	}
}

func readEtcd(at address, env func(string) string) (Store, error) {
	c, err := etcdstore.Read(at.url, at.hosts, env)
	if err != nil {
		return Store{}, fmt.Errorf("%w; see holdgate help store", err)
	}
	open := func(ctx context.Context) (driver.Driver, error) {
		s, err := c.Open(ctx)
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
