package etcdembed

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	clientv3 "go.etcd.io/etcd/client/v3"
)

// getVote has a learner promoted, once it is in sync. It is done at every start, since the
// one that joined may have been cut off before.
func (s *Server) getVote(ctx context.Context) error {
	if !s.etcd.Server.IsLearner() {
		return nil
	}
	c, err := s.set.clusterConfig(s.voters())
	if err != nil {
		return err
	}
	err = s.persist(ctx, "a vote in the cluster", retryOthers, func(ctx context.Context) error {
		return with(c, func(client *clientv3.Client) error { return s.promote(ctx, client) })
	})
	if isRefusal(err) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}

var errLearner = errors.New("still a learner")

// promote asks the others for the vote. It is there when this member knows of it, which may
// be later than the others do.
func (s *Server) promote(ctx context.Context, client *clientv3.Client) error {
	if !s.etcd.Server.IsLearner() {
		return nil
	}
	_, err := client.MemberPromote(ctx, uint64(s.etcd.Server.MemberID()))
	if err == nil || errors.Is(err, rpctypes.ErrMemberNotLearner) {
		return errLearner
	}
	return err
}

// voters are client addresses of the others. A learner can ask none of this itself.
func (s *Server) voters() []string {
	endpoints := slices.Clone(s.set.Join)
	for _, m := range s.etcd.Server.Cluster().Members() {
		if m.ID != s.etcd.Server.MemberID() && !m.IsLearner {
			endpoints = append(endpoints, m.ClientURLs...)
		}
	}
	return endpoints
}
