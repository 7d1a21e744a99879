package etcdembed

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/url"
	"slices"

	"go.etcd.io/etcd/server/v3/embed"
	"go.etcd.io/etcd/server/v3/etcdserver"
	"go.etcd.io/etcd/server/v3/etcdserver/api/rafthttp"
	"go.uber.org/zap"
)

// sharedToken is that of new clusters of several members: each of them has to know it.
const sharedToken = "holdgate"

// found says how this member comes to its cluster: alone, with others that start now, or
// let in by those that are there. With data it is a member already, and etcd looks at none
// of it.
func (s *Server) found(ctx context.Context) (founding, error) {
	switch {
	case s.dir.hasMember():
		return founding{state: embed.ClusterStateFlagExisting}, nil
	case len(s.set.Join) > 0:
		seats, err := s.admission(ctx)
		return founding{token: sharedToken, seats: seats, state: embed.ClusterStateFlagExisting}, err
	case len(s.set.cluster) > 0:
		if err := s.checkNew(ctx); err != nil {
			return founding{}, err
		}
		return founding{token: sharedToken, seats: s.set.cluster, state: embed.ClusterStateFlagNew}, nil
	}
	return alone(s.set.Name, s.set.peerURL()), nil
}

// alone is a new cluster of one. Its token is random, so that no two are taken for the same.
func alone(name, peer string) founding {
	u, _ := url.Parse(peer) // it was made from a URL
	return founding{token: rand.Text(), seats: []seat{{name: name, peer: *u}}, state: embed.ClusterStateFlagNew}
}

// checkNew refuses to found a cluster where one of its members belongs to another, which has
// been restored from a backup, say. There would be two stores under the same addresses,
// and each would grant the same locks.
func (s *Server) checkNew(ctx context.Context) error {
	rt, err := rafthttp.NewRoundTripper(s.set.PeerTLS.server(), tryLimit)
	if err != nil {
		return invalid("PeerTLS", "%v", err)
	}
	for _, other := range s.set.cluster {
		if other.peer == s.set.peer.advertise {
			continue
		}
		c, err := etcdserver.GetClusterFromRemotePeers(zap.NewNop(), []string{other.peer.String()}, rt)
		if err == nil && !slices.Contains(c.PeerURLs(), s.set.peerURL()) { // an error: it has not started
			return fmt.Errorf("%w: %s is in another cluster already, which may be joined", ErrRefused, other.peer.Host)
		}
		if ctx.Err() != nil {
			return fmt.Errorf("starting: %w", context.Cause(ctx))
		}
	}
	return nil
}
