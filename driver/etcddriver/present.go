package etcddriver

import (
	"context"
	"fmt"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// perLook is how many keys are read in one transaction: etcd takes 128 operations in
// one by default.
const perLook = 100

// Present lists what stands on the lease. etcd tells the names only, and the member that
// leads may tell them from a state that lags; so what it names is then read, up
// to date.
func (s *session) Present(ctx context.Context) ([]driver.Place, error) {
	if err := s.usable(ctx); err != nil {
		return nil, err
	}
	answer, err := read(ctx, s.d, (*member).LeaseTimeToLive, &pb.LeaseTimeToLiveRequest{ID: s.lease, Keys: true})
	if err != nil {
		return nil, fmt.Errorf("list the keys of lease %s: %w", s.ID(), err)
	}
	var keys []string
	for _, key := range answer.Keys {
		if _, ok := s.d.layout.parse(string(key)); ok {
			keys = append(keys, string(key))
		}
	}
	if len(keys) == 0 {
		_, err := s.look(ctx) // whether the session lives
		return nil, err
	}
	var places []driver.Place
	for some := range slices.Chunk(keys, perLook) {
		found, err := s.read(ctx, some)
		if err != nil {
			return nil, fmt.Errorf("read the places of session %s: %w", s.ID(), err)
		}
		places = append(places, found...)
	}
	return places, nil
}

// read reads places of this session. Those that are gone by now are left out. Whether
// they are granted is not told.
func (s *session) read(ctx context.Context, keys []string) ([]driver.Place, error) {
	ops := make([]*pb.RequestOp, len(keys))
	for i, key := range keys {
		ops[i] = get(one(key))
	}
	answer, err := s.look(ctx, ops...)
	if err != nil {
		return nil, err
	}
	var places []driver.Place
	for i, key := range keys {
		for _, kv := range keysIn(answer, i+1) {
			name, _ := s.d.layout.parse(key)
			p := placeOf(name, s.d.layout.line(name), kv)
			if p.Foreign || kv.Lease != s.lease { // a mark, say
				continue
			}
			_ = fill(&p, string(kv.Value)) // what can be shown
			places = append(places, p)
		}
	}
	return places, nil
}
