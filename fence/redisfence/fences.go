package redisfence

import (
	"errors"

	"github.com/redis/go-redis/v9"
)

// DefaultPrefix begins the keys of tokens unless Options.Key says otherwise.
const DefaultPrefix = "holdgate:fence:"

// Options configure Fences. Zero values are the defaults.
type Options struct {
	// Key returns the key under which the token of a name is kept. It has to differ for
	// different names. In a cluster it has the hash tag of the data, as
	// "fence:{order:42}". Default: DefaultPrefix and the name.
	Key func(name string) string
}

// Fences are the tokens that a Redis remembers, one for each name. Its methods may be
// called by any goroutine.
type Fences struct {
	client redis.UniversalClient
	key    func(name string) string
}

// New returns the fences that are kept where client leads. The client stays the caller's.
// Nil options are the defaults.
func New(client redis.UniversalClient, o *Options) (*Fences, error) {
	if client == nil {
		return nil, errors.New("redisfence: no client")
	}
	f := &Fences{client: client, key: func(name string) string { return DefaultPrefix + name }}
	if o != nil && o.Key != nil {
		f.key = o.Key
	}
	return f, nil
}
