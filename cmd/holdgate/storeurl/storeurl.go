// Package storeurl opens the store that a URL names, as holdgate --store does, for other
// programs of this repository: the schemes, options and variables are those of
// "holdgate help store".
package storeurl

import (
	"context"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/driver"
)

// ErrURL: no store is named like that, or what the URL names cannot be used.
var ErrURL = store.ErrURL

// Check reports what is wrong with a URL. It touches nothing. No error repeats a secret.
func Check(url string, env func(string) string) error {
	_, err := store.Parse(url, env)
	return err
}

// Open returns the driver of a store, and its URL without what lets in. ctx bounds how long
// a store is waited for that has to be asked first.
func Open(ctx context.Context, url string, env func(string) string) (driver.Driver, string, error) {
	s, err := store.Parse(url, env)
	if err != nil {
		return nil, "", err
	}
	d, err := s.Open(ctx)
	return d, s.String(), err
}
