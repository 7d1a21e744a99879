package store

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// scheme is a kind of store.
type scheme struct {
	name    string
	several bool // its URLs may list several hosts
	read    func(address, func(string) string) (Store, error)
}

// schemes are the stores there are.
func schemes() []scheme {
	files := []scheme{{"file", false, readFile}}
	return slices.Concat(files, etcdSchemes(), redisSchemes(), zkSchemes(), httpSchemes())
}

// ErrURL: no store is named like that, or what the URL names cannot be used.
var ErrURL = errors.New("store URL")

// ErrNoDefault: no store is named, and this user has no directory for one.
var ErrNoDefault = errors.New("no store is named, and there is no default one")

// Store is where lines are kept.
type Store struct {
	text    string // the URL without what lets in
	open    func(context.Context) (driver.Driver, error)
	inspect func(context.Context) []health.Server // nil: it has no servers
	// Default: nobody chose it. It is the directory of the user, on this machine.
	Default bool
}

// Parse reads the URL of a store; "" is the default one, or [ErrNoDefault]. env is the
// environment, for what the URL leaves out. It touches nothing.
func Parse(text string, env func(string) string) (Store, error) {
	if text == "" {
		return defaultStore(env)
	}
	at, err := takeApart(text)
	if err != nil {
		return Store{}, err
	}
	for _, s := range schemes() {
		if s.name != at.url.Scheme {
			continue
		}
		store, err := s.read(at, env)
		if err != nil {
			return Store{}, fmt.Errorf("%w %q: %w", ErrURL, at.shown(), err)
		}
		return store, nil
	}
	if at.url.Scheme == "" {
		return Store{}, fmt.Errorf("%w %q: it has no scheme; allowed are %s", ErrURL, at.shown(), examples())
	}
	return Store{}, fmt.Errorf("%w %q: unknown scheme %q; allowed are %s", ErrURL, at.shown(), at.url.Scheme, examples())
}

// several reports whether URLs of this scheme may list several hosts.
func several(name string) bool {
	return slices.ContainsFunc(schemes(), func(s scheme) bool { return s.several && s.name == name })
}

// defaultStore is the directory of the user.
func defaultStore(env func(string) string) (Store, error) {
	dir, err := filedriver.DefaultDir()
	if err != nil {
		return Store{}, fmt.Errorf("%w: %w; name a store with --store, or in $%s", ErrNoDefault, err, Variable)
	}
	s, err := readFile(address{url: &url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}}, env)
	s.Default = true
	return s, err
}

func examples() string {
	all := []string{"file:///var/lock/holdgate"}
	for _, s := range schemes()[len(all):] {
		all = append(all, s.name+"://")
	}
	return strings.Join(append(all, "or none for the files of this user"), ", ")
}

func readFile(at address, _ func(string) string) (Store, error) {
	u := *at.url
	open := func(context.Context) (driver.Driver, error) { return filedriver.OpenURL(at.url) }
	u.User = nil
	return Store{text: u.String(), open: open}, nil
}

// Open returns the driver. ctx bounds how long a store is waited for that has to be asked
// first; it does not bound the driver.
func (s Store) Open(ctx context.Context) (driver.Driver, error) { return s.open(ctx) }

// Inspect tells how each server of the store is, as far as they tell anybody; files have
// none.
func (s Store) Inspect(ctx context.Context) []health.Server {
	if s.inspect == nil {
		return nil
	}
	return s.inspect(ctx)
}

// String is the URL without what lets in: neither user nor password.
func (s Store) String() string { return s.text }
