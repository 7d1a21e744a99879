package etcddriver

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// Evict asks a place to go: it reads the line, then acts on the condition that what it
// has seen still holds, and looks again when it does not.
func (d *Driver) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	if err := cmp.Or(d.layout.check(line), e.Check()); err != nil {
		return err
	}
	e.Line, e.PlaceID = line, placeID
	for {
		l, err := d.lineup(ctx, line)
		if err != nil {
			return err
		}
		done, err := d.evict(ctx, l, e)
		if done || err != nil {
			return err
		}
	}
}

// evict makes one attempt. It reports false when the line was another by then.
func (d *Driver) evict(ctx context.Context, l *lineup, e driver.Eviction) (done bool, err error) {
	i := l.find(e.PlaceID)
	switch {
	case i < 0:
		return false, gone(e.Line, e.PlaceID)
	case e.Force:
		return d.removePlace(ctx, l, i, nil)
	case d.layout.single:
		return false, fmt.Errorf("%w: one key has no room for a mark: place %q goes by force only", driver.ErrUnsupported, e.PlaceID)
	case l.places[i].Foreign:
		return false, fmt.Errorf("%w: place %q in line %q is of other software and goes only by force",
			driver.ErrUnsupported, e.PlaceID, e.Line)
	case l.granted(i):
		return d.mark(ctx, l, i, e)
	}
	proof, err := waits(l, i)
	if err != nil {
		return false, err
	}
	return d.removePlace(ctx, l, i, proof)
}

// removePlace removes the place that was seen, if the proof holds.
func (d *Driver) removePlace(ctx context.Context, l *lineup, i int, proof []*pb.Compare) (bool, error) {
	p, kv := l.places[i], l.kvs[i]
	key := string(kv.Key)
	ops := requests(del(one(key)))
	if !p.Foreign && !d.layout.single {
		ops = requests(del(traces(key)), del(one(d.layout.mark(kv.Lease, p.ID))))
	}
	answer, err := write(ctx, d, (*member).Txn, &pb.TxnRequest{
		Compare: append(proof, createdAt(key, kv.CreateRevision)),
		Success: ops,
	})
	if err != nil {
		return false, fmt.Errorf("evict from %q: %w", l.name, err)
	}
	return answer.Succeeded, nil
}

// maxProof is how many comparisons a proof may have: etcd takes 128 in one transaction
// by default.
const maxProof = 120

// waits proves, to a later transaction, that a place is still not granted: enough of those
// ahead stand unchanged that it cannot fit. One is enough for a mutex.
func waits(l *lineup, i int) ([]*pb.Compare, error) {
	p := l.places[i]
	ahead := make([]int, i)
	for n := range ahead {
		ahead[n] = n
	}
	takes := func(n int) int64 {
		if !l.places[n].Matches(p.Kind, p.Capacity) {
			return p.Capacity
		}
		return l.places[n].Units
	}
	slices.SortStableFunc(ahead, func(a, b int) int { return cmp.Compare(takes(b), takes(a)) })
	free := p.Capacity
	var proof []*pb.Compare
	for _, n := range ahead {
		if free < p.Units {
			break
		}
		free -= takes(n)
		proof = append(proof, unchangedPlace(l.kvs[n]))
	}
	if len(proof) > maxProof {
		return nil, fmt.Errorf("%w: %d places together keep %s from being granted, and at most %d are compared in one step: evict it by force",
			driver.ErrUnsupported, len(proof), p.ID, maxProof)
	}
	return proof, nil
}

func unchangedPlace(kv *mvccpb.KeyValue) *pb.Compare {
	return unchanged(string(kv.Key), kv.ModRevision)
}

// mark marks a granted place, on the lease of its holder: beside the place, where all
// who look at the line see it, and beside the record of its session, where its Renew
// does. A place that was granted stays so as long as it stands.
func (d *Driver) mark(ctx context.Context, l *lineup, i int, e driver.Eviction) (bool, error) {
	p, kv := l.places[i], l.kvs[i]
	key := string(kv.Key)
	told, err := json.Marshal(notice{Line: e.Line, Reason: e.Reason, By: e.By})
	if err != nil {
		panic(err) // three strings
	}
	shown := markValue(use{p.Kind, p.Capacity}, p.ID, notice{Reason: e.Reason, By: e.By})
	answer, err := write(ctx, d, (*member).Txn, &pb.TxnRequest{
		Compare: compares(createdAt(key, kv.CreateRevision), none(one(key+markSuffix))),
		Success: requests(put(key+markSuffix, shown, kv.Lease), put(d.layout.mark(kv.Lease, p.ID), told, kv.Lease)),
		Failure: requests(get(one(key)), get(one(key+markSuffix))),
	})
	switch {
	case oneOf(err, driver.ErrSessionLost):
		return false, nil // the holder's, just now: its places are gone
	case err != nil:
		return false, fmt.Errorf("evict from %q: %w", l.name, err)
	}
	return answer.Succeeded || len(keysIn(answer, 0)) > 0 && len(keysIn(answer, 1)) > 0, nil
}
