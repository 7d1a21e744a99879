package etcdstore

import (
	"context"
	"fmt"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
	"google.golang.org/grpc"
	"google.golang.org/grpc/backoff"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
	"github.com/holdgate/holdgate/driver/etcddriver"
)

// Store is a driver that owns its client.
type Store struct {
	*etcddriver.Driver
	config *Config
	client *clientv3.Client
}

const (
	// dialIn is how long a member has to answer a connection, with TLS.
	dialIn = 3 * time.Second
	// againWithin bounds how long a member that was left is not dialled: it is taken back
	// that soon after it is well.
	againWithin = 2 * time.Second
)

// Open returns a driver, which leaves members that do not answer. It logs in where there is
// a user, and tries that again until ctx ends; without one it does not wait for the
// store. ctx does not bound the driver.
func (c *Config) Open(ctx context.Context) (*Store, error) {
	secure, err := c.tls.Load()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", remote.ErrFiles, err)
	}
	client, err := newDoor(ctx).open(clientv3.Config{
		Endpoints: c.endpoints,
		TLS:       secure,
		Username:  c.user,
		Password:  c.password,
		Logger:    zap.NewNop(),

		DialTimeout:          loginIn * time.Duration(len(c.endpoints)+1),
		DialKeepAliveTime:    10 * time.Second, // the least that gRPC takes
		DialKeepAliveTimeout: dialIn,
		DialOptions: []grpc.DialOption{
			grpc.WithTransportCredentials(credentialsFor(c.tls, secure)),
			grpc.WithConnectParams(grpc.ConnectParams{
				Backoff:           backoff.Config{BaseDelay: 100 * time.Millisecond, Multiplier: 1.6, Jitter: 0.2, MaxDelay: againWithin},
				MinConnectTimeout: dialIn,
			}),
		},
	})
	if err != nil {
		return nil, err
	}
	drv, err := etcddriver.New(client, &etcddriver.Options{Prefix: c.prefix, Layout: c.layout, Verbatim: c.verbatim})
	if err != nil {
		_ = client.Close() // nothing was asked of it but to log in
		return nil, err
	}
	return &Store{Driver: drv, config: c, client: client}, nil
}

// Close closes the driver and the client.
func (s *Store) Close() error {
	err := s.Driver.Close()
	_ = s.client.Close() // what was under way has ended
	return err
}
