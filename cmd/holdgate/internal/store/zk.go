//go:build !nozk

package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/zkstore"
	"github.com/holdgate/holdgate/driver"
)

func zkSchemes() []scheme {
	return []scheme{
		{zkstore.Scheme, true, readZK},
		{zkstore.SchemeTLS, true, readZK},
	}
}

func readZK(at address, env func(string) string) (Store, error) {
	c, err := zkstore.Read(at.url, at.hosts, env)
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
