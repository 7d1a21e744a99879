package grpcdiscovery

import (
	"context"
	"errors"
	"fmt"
	"time"

	"google.golang.org/grpc/resolver"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
)

// Scheme is what targets begin with: "holdgate:///orders".
const Scheme = "holdgate"

// DefaultPatience is how long a new connection waits for the store before calls fail.
const DefaultPatience = 5 * time.Second

// Options are for NewBuilder. Zero values are the defaults.
type Options struct {
	// Patience is how long the calls of a new connection wait for the store, which was not
	// reached yet, before they fail; default DefaultPatience. Those with grpc.WaitForReady
	// wait on. Once the instances were known this does not count any more.
	Patience time.Duration
}

// Builder makes resolvers. Give it to grpc.WithResolvers.
type Builder struct {
	client   *holdgate.Client
	patience time.Duration
}

var _ resolver.Builder = (*Builder)(nil)

// NewBuilder returns a builder for the services in the store of this client, which has to
// live longer than the connections. A negative patience is none.
func NewBuilder(client *holdgate.Client, o *Options) *Builder {
	b := &Builder{client: client, patience: DefaultPatience}
	if o != nil && o.Patience != 0 {
		b.patience = max(o.Patience, 0)
	}
	return b
}

// Scheme returns Scheme.
func (b *Builder) Scheme() string { return Scheme }

// Build implements resolver.Builder.
func (b *Builder) Build(target resolver.Target, cc resolver.ClientConn, _ resolver.BuildOptions) (resolver.Resolver, error) {
	service := target.Endpoint()
	switch {
	case target.URL.Host != "":
		return nil, fmt.Errorf("grpcdiscovery: the target is %s:///%s, with three slashes, not %q",
			Scheme, target.URL.Host+target.URL.Path, target.URL.String())
	case service == "":
		return nil, errors.New("grpcdiscovery: the target names no service")
	case len(service) > discovery.MaxService:
		return nil, fmt.Errorf("grpcdiscovery: a service has at most %d bytes, this one has %d", discovery.MaxService, len(service))
	}
	f := &follower{client: b.client, service: service, cc: cc, done: make(chan struct{})}
	var ctx context.Context
	ctx, f.stop = context.WithCancel(context.Background())
	go f.follow(ctx, b.patience) // ends with Close
	return f, nil
}
