package store

import (
	"errors"
	"fmt"
	"net/url"
	"path/filepath"
	"strings"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// scheme is a kind of store.
type scheme struct {
	name    string
	example string
	open    func(*url.URL) (driver.Driver, error)
}

// schemes are the stores there are. A new one is a line here.
func schemes() []scheme {
	return []scheme{
		{"file", "file:///var/lock/holdgate", func(u *url.URL) (driver.Driver, error) { return filedriver.OpenURL(u) }},
	}
}

// ErrURL: no store is named like that.
var ErrURL = errors.New("store URL")

// Store is where lines are kept.
type Store struct {
	url    *url.URL
	scheme scheme
	// Default: nobody chose it. It is the directory of the user, on this machine.
	Default bool
}

// Parse reads the URL of a store; "" is the default one. It touches nothing.
func Parse(text string) (Store, error) {
	if text == "" {
		return defaultStore()
	}
	u, err := url.Parse(text)
	if err != nil {
		// What url.Parse says repeats the URL, with the password.
		return Store{}, fmt.Errorf("%w: it cannot be read; allowed are %s", ErrURL, examples())
	}
	for _, s := range schemes() {
		if s.name == u.Scheme {
			return Store{url: u, scheme: s}, nil
		}
	}
	if u.Scheme == "" {
		return Store{}, fmt.Errorf("%w %q: it has no scheme; allowed are %s", ErrURL, u.Redacted(), examples())
	}
	return Store{}, fmt.Errorf("%w %q: unknown scheme %q; allowed are %s", ErrURL, u.Redacted(), u.Scheme, examples())
}

// defaultStore is the directory of the user.
func defaultStore() (Store, error) {
	dir, err := filedriver.DefaultDir()
	if err != nil {
		return Store{}, fmt.Errorf("%w: there is no default one here: %w; allowed are %s", ErrURL, err, examples())
	}
	u := &url.URL{Scheme: "file", Path: filepath.ToSlash(dir)}
	return Store{url: u, scheme: schemes()[0], Default: true}, nil
}

func examples() string {
	var all []string
	for _, s := range schemes() {
		all = append(all, s.example)
	}
	return strings.Join(append(all, "or none for the files of this user"), ", ")
}

// Open returns the driver.
func (s Store) Open() (driver.Driver, error) { return s.scheme.open(s.url) }

// String is the URL without a user or a password.
func (s Store) String() string {
	u := *s.url
	u.User = nil
	return u.String()
}
