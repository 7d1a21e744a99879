package redisdriver

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"
)

// newClient returns what makes a client of our own from the options of the user's, for a
// lane or, with nil, for the feed. The user's own repeats a request whose answer was lost,
// and so finds its own place there, or its own release done: a wrong answer. Ours asks
// once. Its connections end with ctx.
func newClient(ctx context.Context, user redis.UniversalClient) (connect func(*lane) redis.UniversalClient, err error) {
	switch c := user.(type) {
	case nil:
		return nil, errors.New("redisdriver: no client")
	case *redis.Client:
		opts := single(c.Options())
		return func(l *lane) redis.UniversalClient {
			fresh := *opts // a client keeps what it is given
			fresh.Dialer = dialer(opts.Dialer).until(ctx, l)
			return redis.NewClient(&fresh)
		}, nil
	case *redis.ClusterClient:
		opts := cluster(c.Options())
		if opts.Dialer == nil {
			opts.Dialer = redis.NewDialer(&redis.Options{DialTimeout: opts.DialTimeout, TLSConfig: opts.TLSConfig})
		}
		return func(l *lane) redis.UniversalClient {
			fresh := *opts
			fresh.Dialer = dialer(opts.Dialer).until(ctx, l)
			return redis.NewClusterClient(&fresh)
		}, nil
	default:
		return nil, fmt.Errorf("redisdriver: a client is a *redis.Client or a *redis.ClusterClient, %T is neither", user)
	}
}

// poolSize is how many connections a client may have to one server: one that is used, and one
// that replaces it.
const poolSize = 2

// single are a client's options with what we need. A sentinel's client is one too: its
// options have a dialer that finds the primary.
func single(o *redis.Options) *redis.Options {
	opts := *o
	opts.MaxRetries = -1
	opts.ContextTimeoutEnabled = true
	opts.DialerRetries = 1
	opts.ReadTimeout, opts.WriteTimeout = max(opts.ReadTimeout, 0), max(opts.WriteTimeout, 0) // never none: 0 is the default
	opts.PoolSize, opts.PipelinePoolSize = poolSize, -1
	opts.MinIdleConns, opts.MaxIdleConns, opts.MaxActiveConns, opts.MaxConcurrentDials = 0, 0, 0, 0
	opts.ClientSideCacheConfig, opts.ClientSideCache = nil, nil
	opts.PushNotificationProcessor = nil // each client has its own
	return &opts
}

// cluster are the options for a cluster. Only primaries are asked.
func cluster(o *redis.ClusterOptions) *redis.ClusterOptions {
	opts := *o
	opts.MaxRetries = -1
	opts.ContextTimeoutEnabled = true
	opts.DialerRetries = 1
	opts.ReadTimeout, opts.WriteTimeout = max(opts.ReadTimeout, 0), max(opts.WriteTimeout, 0)
	opts.PoolSize, opts.PipelinePoolSize = poolSize, -1
	opts.MinIdleConns, opts.MaxIdleConns, opts.MaxActiveConns, opts.MaxConcurrentDials = 0, 0, 0, 0
	opts.PushNotificationProcessor = nil
	opts.ReadOnly, opts.RouteByLatency, opts.RouteRandomly = false, false, false
	return &opts
}
