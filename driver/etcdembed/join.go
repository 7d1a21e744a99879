package etcdembed

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strconv"

	"go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// admission has the cluster take this member in as a learner, and returns all its members.
// What the cluster knows already is not done again, so a start that was cut off anywhere
// can be repeated: a member is known by its peer address.
func (s *Server) admission(ctx context.Context) (seats []seat, err error) {
	c, err := s.set.clusterConfig(s.set.Join)
	if err != nil {
		return nil, err
	}
	err = s.persist(ctx, "admission to the cluster", retryOthers, func(ctx context.Context) error {
		return with(c, func(client *clientv3.Client) (err error) {
			seats, err = s.admit(ctx, client)
			return err
		})
	})
	if isRefusal(err) {
		return nil, fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return seats, err
}

// clusterConfig is for clients of other members.
func (s *settings) clusterConfig(endpoints []string) (clientv3.Config, error) {
	c := s.clientConfig()
	c.Endpoints = endpoints
	var err error
	c.TLS, err = s.TLS.others()
	return c, err
}

func (s *Server) admit(ctx context.Context, client *clientv3.Client) ([]seat, error) {
	known, err := client.MemberList(ctx)
	if err != nil {
		return nil, err
	}
	if i := slices.IndexFunc(known.Members, s.isOwn); i >= 0 {
		return s.readmit(known.Members, known.Members[i])
	}
	if err := checkReachable(known.Members); err != nil {
		return nil, err
	}
	grown, err := client.MemberAddAsLearner(ctx, []string{s.set.peerURL()})
	if err != nil {
		return nil, err
	}
	return s.seats(grown.Members)
}

func (s *Server) isOwn(m *etcdserverpb.Member) bool {
	return slices.Contains(m.PeerURLs, s.set.peerURL())
}

// errDataLost: a member that comes back without its data may have voted. It must not take
// its old seat.
var errDataLost = errors.New("a member of this address has run before, and its data is not in this directory: " +
	"remove that member from the cluster first")

// readmit takes the seat that an earlier try got.
func (s *Server) readmit(members []*etcdserverpb.Member, own *etcdserverpb.Member) ([]seat, error) {
	if own.Name != "" { // it told its name when it started
		return nil, fmt.Errorf("%w: %s", errDataLost, memberID(own))
	}
	return s.seats(members)
}

// seats are members in the form that etcd starts from. It finds them by their addresses; the
// names only keep them apart, and theirs might be the same.
func (s *Server) seats(members []*etcdserverpb.Member) ([]seat, error) {
	var seats []seat
	for _, m := range members {
		name := memberID(m)
		if s.isOwn(m) {
			name = s.set.Name
		}
		for _, address := range m.PeerURLs {
			u, err := url.Parse(address)
			if err != nil {
				return nil, fmt.Errorf("address of member %s: %w", memberID(m), err)
			}
			seats = append(seats, seat{name: name, peer: *u})
		}
	}
	return seats, nil
}

var errNowhere = errors.New("has no peer address: start it with one")

// checkReachable refuses a cluster whose member was started alone: to add another would
// only stop it, for want of a majority.
func checkReachable(members []*etcdserverpb.Member) error {
	for _, m := range members {
		if slices.Contains(m.PeerURLs, nowhere) {
			return fmt.Errorf("member %s %w", memberID(m), errNowhere)
		}
	}
	return nil
}

// memberID is written as etcd's own tools do.
func memberID(m *etcdserverpb.Member) string { return strconv.FormatUint(m.ID, 16) }
