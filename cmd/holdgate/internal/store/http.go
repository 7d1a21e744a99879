//go:build !nohttp

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/httpstore"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver"
)

func httpSchemes() []scheme {
	return []scheme{
		{httpstore.Scheme, true, readHTTP},
		{httpstore.SchemeTLS, true, readHTTP},
	}
}

func readHTTP(at address, env func(string) string) (Store, error) {
	c, err := httpstore.Read(at.url, at.hosts, env)
	if err != nil {
		return Store{}, fmt.Errorf("%w; see holdgate help store", err)
	}
	open := func(ctx context.Context) (driver.Driver, error) {
		d, err := c.Open(ctx)
		switch {
		case errors.Is(err, remote.ErrFiles):
			return nil, fmt.Errorf("%w: %w", ErrURL, err)
		case err != nil:
			return nil, err
		}
		return d, nil
	}
	return Store{text: c.String(), open: open, inspect: c.Inspect}, nil
}
