package redisstore

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
)

// inspectIn bounds how long all servers together may take.
const inspectIn = 3 * time.Second

var errSilent = errors.New("no answer")

// Inspect asks all servers, each on a connection of its own, how they are: those of the URL, and
// those that they tell of.
func (c *Config) Inspect(ctx context.Context) []health.Server {
	ctx, cancel := context.WithTimeoutCause(ctx, inspectIn, errSilent)
	defer cancel()
	switch {
	case c.sentinel():
		sentinels := c.inspect(ctx, c.addresses, c.sentinelOptions, lookAtSentinel(c.primary))
		watched := c.first(ctx, c.sentinelOptions, watchedBy(c.primary))
		return slices.Concat(sentinels, c.inspect(ctx, watched, c.serverOptions, lookAtMember))
	case c.cluster():
		members := c.first(ctx, c.serverOptions, membersKnownTo)
		if len(members) == 0 {
			members = c.addresses
		}
		return c.inspect(ctx, members, c.serverOptions, lookAtMember)
	default:
		return c.inspect(ctx, c.addresses, c.serverOptions, lookAtOnly)
	}
}

// optionsFor are those of a client of one server.
type optionsFor func(address string) (*redis.Options, error)

// look asks a server how it is. An error says why no lock could be taken through it.
type look func(ctx context.Context, client *redis.Client, h *health.Server) error

// inspect has a look at servers, all at once.
func (c *Config) inspect(ctx context.Context, addresses []string, options optionsFor, at look) []health.Server {
	all := make([]health.Server, len(addresses))
	var asked sync.WaitGroup
	for i, address := range addresses {
		asked.Go(func() { // ends with ctx at the latest
			all[i].Endpoint = address
			all[i].Err = talk(ctx, address, options, func(client *redis.Client) error { return at(ctx, client, &all[i]) })
		})
	}
	asked.Wait()
	return all
}

// first asks the servers of the URL for addresses, all at once, and returns the first answer
// that has any.
func (c *Config) first(
	ctx context.Context, options optionsFor, ask func(context.Context, *redis.Client) ([]string, error),
) []string {
	answers := make(chan []string, len(c.addresses))
	for _, address := range c.addresses {
		go func() { // ends with ctx at the latest
			var answer []string
			_ = talk(ctx, address, options, func(client *redis.Client) (err error) {
				answer, err = ask(ctx, client)
				return err
			}) // what is wrong with this one is told where it is looked at
			answers <- answer
		}()
	}
	for range c.addresses {
		if answer := <-answers; len(answer) > 0 {
			return answer
		}
	}
	return nil
}

// talk has f talk to one server.
func talk(ctx context.Context, address string, options optionsFor, f func(*redis.Client) error) error {
	o, err := options(address)
	if err != nil {
		return err
	}
	o.MaxRetries, o.ContextTimeoutEnabled = -1, true
	client := redis.NewClient(o)
	err = f(client)
	_ = client.Close() // it is of no more use
	if err != nil && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
