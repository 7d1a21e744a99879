package chaos

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness/zklog"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/zkserver"
)

// zkPrefix is where the driver keeps everything by default.
const zkPrefix = "/holdgate"

func zkKind() *kind {
	return &kind{
		name: "zk", start: startZK, members: 3, protocol: proxy.ZooKeeper, reaches: reachesAll(),
		// A part of a TTL is the lag of the leader's clock.
		longer: 4 * zkserver.Tick,
		faults: append(sharedFaults(),
			fault{"member cut off from the others", onMember, aboutTTL, isolate},
		),
	}
}

// zkStore is an ensemble of three servers.
type zkStore struct {
	ensemble *zkserver.Ensemble
	network  *zkserver.Network
	admin    *zk.Conn
	log      *zklog.Witness
}

func startZK(r *run) store {
	s := &zkStore{network: zkserver.NewNetwork(r.tb)}
	s.ensemble = zkserver.Start(r.tb, 3, zkserver.Config{
		Peer: s.network.Peer,
		// A server that comes back writes to its log what it missed, and is given no image
		// instead: the witness reads logs.
		Options: []string{"-Dzookeeper.commitLogCount=1000000"},
	})
	var err error
	s.admin, _, err = zk.Connect(s.ensemble.Addresses(), 10*time.Second, zk.WithLogger(quiet{}))
	r.must(err)
	r.tb.Cleanup(s.admin.Close)
	var servers []zklog.Server
	for _, server := range s.ensemble.Servers {
		servers = append(servers, zklog.Server{Address: server.Address(), Logs: server.Logs()})
	}
	s.log, err = zklog.Start(r.tb.Context(), servers, zkPrefix)
	r.must(err)
	return s
}

// quiet drops what a client has to say.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func (s *zkStore) config(c *process.Config) {
	c.Store, c.Endpoints, c.Tick = "zk", s.ensemble.Addresses(), zkserver.Tick
}

func (s *zkStore) witness() watcher { return s.log }

func (s *zkStore) member(_ context.Context, n int) (member, error) {
	i, err := s.number(n) //nolint:contextcheck // each of them has a limit of its own
	if err != nil {
		return nil, err
	}
	return s.ensemble.Servers[i], nil
}

// number is that of a member, also of the leader.
func (s *zkStore) number(n int) (int, error) {
	if n != leader {
		return n, nil
	}
	for i, server := range s.ensemble.Servers {
		if server.Mode() == "leader" {
			return i, nil
		}
	}
	return 0, errNoLeader
}

// isolate cuts a member off from the others. It still talks to its clients.
func isolate(r *run, t trouble) (func() error, error) {
	if _, err := r.member(t.on); err != nil {
		return nil, err
	}
	s := r.store.(*zkStore)
	i, err := s.number(t.on)
	if err != nil {
		return nil, err
	}
	return quietly(s.network.Isolate(i)), nil
}

// endSession closes a session as its own client would.
func (s *zkStore) endSession(ctx context.Context, n int) error {
	sessions, err := within(ctx, func() ([]string, error) { return children(s.admin, zkPrefix+"/%sessions") })
	if err != nil || len(sessions) == 0 {
		return err
	}
	session := sessions[n%len(sessions)]
	s.log.Revoke(session) // before it can happen
	return s.ensemble.Servers[n%len(s.ensemble.Servers)].CloseSession(ctx, session)
}

func (s *zkStore) healthy(ctx context.Context) error {
	for _, server := range s.ensemble.Servers {
		if server.Mode() == "" { //nolint:contextcheck // it has a limit of its own
			return fmt.Errorf("server %s does not serve", server.Address())
		}
	}
	_, err := within(ctx, func() (string, error) { return s.admin.Sync("/") })
	return err
}

// left are the places, and the sessions. The nodes of empty lines go when a server comes by.
func (s *zkStore) left(ctx context.Context) ([]leftover, error) {
	return within(ctx, func() ([]leftover, error) {
		if _, err := s.admin.Sync("/"); err != nil {
			return nil, err
		}
		names, err := children(s.admin, zkPrefix)
		if err != nil {
			return nil, err
		}
		var left []leftover
		for _, name := range names {
			nodes, err := children(s.admin, zkPrefix+"/"+name)
			if err != nil {
				return nil, err
			}
			for _, node := range nodes {
				left = append(left, leftover{name, node})
			}
		}
		return left, nil
	})
}

// children are the nodes below another one, none if that is not there.
func children(c *zk.Conn, path string) ([]string, error) {
	nodes, _, err := c.Children(path)
	if errors.Is(err, zk.ErrNoNode) {
		return nil, nil
	}
	return nodes, err
}

// within bounds a call of a client that knows no contexts. What goes on ends with the client.
func within[T any](ctx context.Context, f func() (T, error)) (T, error) {
	type outcome struct {
		value T
		err   error
	}
	done := make(chan outcome, 1)
	go func() {
		v, err := f()
		done <- outcome{v, err}
	}()
	select {
	case o := <-done:
		return o.value, o.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}
