package etcdembed

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"
)

// Start runs a member, and returns when it serves. A member of a new Cluster serves when
// most of the others have started; one that joins, when it has a vote.
//
// When ctx ends before, or Start fails, it stops what it had started, for up to 20 s. It can
// be repeated then: a join goes on where it was.
func Start(ctx context.Context, o Options) (*Server, error) {
	set, err := o.check()
	if err != nil {
		return nil, err
	}
	if err := set.prepareAddress(ctx); err != nil {
		return nil, fmt.Errorf("address: %w", err)
	}
	dir, err := openDir(set.Dir)
	if err != nil {
		return nil, err
	}
	s := newServer(set, dir)
	if err := s.start(ctx); err != nil {
		s.end(err, s.abandon)
		return nil, errors.Join(s.reason, s.awaitStop())
	}
	return s, nil
}

func (s *Server) start(ctx context.Context) error {
	f, err := s.found(ctx)
	if err != nil {
		close(s.booted) // there is nothing to wait for
		return err
	}
	go s.boot(f) // the stop function waits for it
	if err := s.await(ctx, s.booted); err != nil {
		return err
	}
	go s.watch() // ended by the member's end
	if err := s.await(ctx, s.etcd.Server.ReadyNotify()); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{s.getVote, s.enableAuth, s.answers, s.readdress} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	s.warnIfOpen(ctx)
	return nil
}

// boot runs etcd's start. It cannot be interrupted, so nobody waits for it in the
// foreground; and etcd may end this goroutine ([fatalHook]), so it is one of its own.
func (s *Server) boot(f founding) {
	s.killed = true
	defer close(s.booted)
	lg := newLogger(s.set.Logger, hush{s}, s.fail)
	e, err := embed.StartEtcd(s.set.config(f, lg, func(g *grpc.Server) { s.grpc.Store(g) }))
	s.killed = false
	if err != nil {
		s.fail(fmt.Errorf("%w: %w", ErrFailed, err))
		return
	}
	s.etcd = e
}

// await waits for a step of the start.
func (s *Server) await(ctx context.Context, step <-chan struct{}) error {
	select {
	case <-s.ended:
		return s.reason
	case <-ctx.Done():
		return fmt.Errorf("starting: %w", context.Cause(ctx))
	case <-step:
	}
	return s.Err() // the step may be one that ended with it
}

// answers asks the member through its socket what only a member that is up to date
// can answer: etcd calls itself ready a moment before it serves.
func (s *Server) answers(ctx context.Context) error {
	err := s.persist(ctx, "the own answer", retryOwn, func(ctx context.Context) error {
		return with(s.set.clientConfig(), func(client *clientv3.Client) error {
			_, err := client.Get(ctx, "holdgate")
			return err
		})
	})
	if isRefusal(err) {
		return invalid("User", "the store was set up with another, or with another password: %v", err)
	}
	return err
}

// readdress tells the cluster of one its member's new peer address. With others there, one
// of them has to be told: this one does not reach them without.
func (s *Server) readdress(ctx context.Context) error {
	members := s.etcd.Server.Cluster().Members()
	if s.set.peer.none() || len(members) != 1 || slices.Equal(members[0].PeerURLs, []string{s.set.peerURL()}) {
		return nil
	}
	return s.persist(ctx, "the new peer address", retryOwn, func(ctx context.Context) error {
		return with(s.set.clientConfig(), func(client *clientv3.Client) error {
			_, err := client.MemberUpdate(ctx, uint64(members[0].ID), []string{s.set.peerURL()})
			return err
		})
	})
}

// warnIfOpen says that anybody on the network may take and break locks.
func (s *Server) warnIfOpen(ctx context.Context) {
	if !isLocal(s.set.listen) && s.set.TLS.CA == "" && s.set.User == "" {
		s.set.Logger.LogAttrs(ctx, slog.LevelWarn, "anyone who reaches the address may use the store",
			slog.String("address", s.set.endpoint()))
	}
}
