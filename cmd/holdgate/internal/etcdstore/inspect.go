package etcdstore

import (
	"context"
	"errors"
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
	"github.com/holdgate/holdgate/driver/etcddriver"
)

// inspectIn bounds how long an endpoint may take.
const inspectIn = 3 * time.Second

// Inspect asks all endpoints, each on a connection of its own and all at once, how they are.
func (s *Store) Inspect(ctx context.Context) []health.Server {
	return s.config.inspect(ctx, s.client.Dial)
}

// Inspect is that of a Store, for one that did not let us in: a member that wants a password
// tells less, and it is still seen whether it is well.
func (c *Config) Inspect(ctx context.Context) []health.Server {
	return c.inspect(ctx, func(endpoint string) (*grpc.ClientConn, error) {
		secure, err := c.tls.Load()
		if err != nil {
			return nil, err
		}
		return grpc.NewClient("passthrough:///"+endpoint, grpc.WithTransportCredentials(credentialsFor(c.tls, secure)))
	})
}

func (c *Config) inspect(ctx context.Context, dial func(string) (*grpc.ClientConn, error)) []health.Server {
	ctx, cancel := context.WithTimeoutCause(ctx, inspectIn, errSilent)
	defer cancel()
	all := make([]health.Server, len(c.endpoints))
	var asked sync.WaitGroup
	for i, endpoint := range c.endpoints {
		asked.Go(func() {
			all[i].Endpoint = endpoint
			conn, err := dial(endpoint)
			if err == nil {
				err = look(ctx, conn, &all[i])
				_ = conn.Close() // it is of no more use
			}
			all[i].Err = err
		})
	}
	asked.Wait()
	return all
}

var (
	errSilent   = errors.New("no answer")
	errNoLeader = errors.New("it knows no leader")
	errLearner  = errors.New("it is a learner: it answers no requests")
)

// look asks a member. An error says why no lock could be taken through it.
func look(ctx context.Context, conn *grpc.ClientConn, h *health.Server) error {
	told, err := etcdserverpb.NewMaintenanceClient(conn).Status(ctx, &etcdserverpb.StatusRequest{})
	switch {
	case unwelcome(err):
		return read(ctx, conn, h)
	case err != nil:
		return plain(ctx, err)
	}
	tell(h, told)
	switch {
	case h.Learner:
		return errLearner
	case h.Leader == 0:
		return errNoLeader
	}
	return read(ctx, conn, h)
}

// unwelcome reports whether a member answered that it is not for us.
func unwelcome(err error) bool {
	known := rpctypes.Error(err)
	return errors.Is(known, rpctypes.ErrUserEmpty) || errors.Is(known, rpctypes.ErrPermissionDenied)
}

func tell(h *health.Server, s *etcdserverpb.StatusResponse) {
	h.Version, h.Faults = s.Version, etcddriver.KnownFaults(s.Version)
	h.Member, h.Leader, h.Learner = s.Header.GetMemberId(), s.Leader, s.IsLearner
	h.Size, h.Quota = s.DbSize, s.DbSizeQuota
	for _, name := range []string{"NOSPACE", "CORRUPT"} {
		// A member lists alarms among its errors, as text; asking for them costs a write.
		if strings.Contains(strings.Join(s.Errors, "\n"), name) {
			h.Alarms = append(h.Alarms, name)
		}
	}
}

// read reads one key, up to date. That we may not is an answer, too: it is found out after
// most members have confirmed what is up to date.
func read(ctx context.Context, conn *grpc.ClientConn, h *health.Server) error {
	begun := time.Now()
	_, err := etcdserverpb.NewKVClient(conn).Range(ctx, &etcdserverpb.RangeRequest{Key: []byte("health")})
	if err != nil && !unwelcome(err) {
		return plain(ctx, err)
	}
	h.Took = time.Since(begun)
	return nil
}

// plain is an error without the words of gRPC.
func plain(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if s, ok := status.FromError(err); ok {
		return errors.New(s.Message())
	}
	return err
}
