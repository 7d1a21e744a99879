package etcddriver

import (
	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Shorthand for what transactions are built from.

func requests(ops ...*pb.RequestOp) []*pb.RequestOp { return ops }
func compares(cs ...*pb.Compare) []*pb.Compare      { return cs }

func (r keyRange) rangeEnd() []byte {
	if r.end == "" {
		return nil
	}
	return []byte(r.end)
}

func get(r keyRange) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestRange{RequestRange: rangeOf(r)}}
}

func rangeOf(r keyRange) *pb.RangeRequest {
	return &pb.RangeRequest{Key: []byte(r.from), RangeEnd: r.rangeEnd()}
}

func put(key string, value []byte, lease int64) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestPut{
		RequestPut: &pb.PutRequest{Key: []byte(key), Value: value, Lease: lease},
	}}
}

func del(r keyRange) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestDeleteRange{
		RequestDeleteRange: &pb.DeleteRangeRequest{Key: []byte(r.from), RangeEnd: r.rangeEnd()},
	}}
}

func nested(t *pb.TxnRequest) *pb.RequestOp {
	return &pb.RequestOp{Request: &pb.RequestOp_RequestTxn{RequestTxn: t}}
}

func compare(r keyRange, target pb.Compare_CompareTarget, result pb.Compare_CompareResult) *pb.Compare {
	return &pb.Compare{Key: []byte(r.from), RangeEnd: r.rangeEnd(), Target: target, Result: result}
}

// none is true when the range is empty: a key that is not there has create revision
// 0, and one that is there has not.
func none(r keyRange) *pb.Compare {
	c := compare(r, pb.Compare_CREATE, pb.Compare_EQUAL)
	c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: 0}
	return c
}

// createdAt is true when the key stands since that revision: it is the very one that
// was seen.
func createdAt(key string, revision int64) *pb.Compare {
	c := compare(one(key), pb.Compare_CREATE, pb.Compare_EQUAL)
	c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: revision}
	return c
}

// nobodySince is true when no key of the range was created after that revision.
// Some may have gone.
func nobodySince(r keyRange, revision int64) *pb.Compare {
	c := compare(r, pb.Compare_CREATE, pb.Compare_LESS)
	c.TargetUnion = &pb.Compare_CreateRevision{CreateRevision: revision + 1}
	return c
}

// unchanged is true when the key was not written since that revision.
func unchanged(key string, revision int64) *pb.Compare {
	c := compare(one(key), pb.Compare_MOD, pb.Compare_EQUAL)
	c.TargetUnion = &pb.Compare_ModRevision{ModRevision: revision}
	return c
}

// livesBy is true when the key stands on this lease: the place is the session's own. With
// no lease, 0, it is true too when there is no such key.
func livesBy(key string, lease int64) *pb.Compare {
	c := compare(one(key), pb.Compare_LEASE, pb.Compare_EQUAL)
	c.TargetUnion = &pb.Compare_Lease{Lease: lease}
	return c
}

// sameUse is true when the range is not empty and every key in it is a place, or a
// mark, of this use.
func sameUse(r keyRange, u use) []*pb.Compare {
	above, below := u.bounds()
	a := compare(r, pb.Compare_VALUE, pb.Compare_GREATER)
	a.TargetUnion = &pb.Compare_Value{Value: []byte(above)}
	b := compare(r, pb.Compare_VALUE, pb.Compare_LESS)
	b.TargetUnion = &pb.Compare_Value{Value: []byte(below)}
	return compares(a, b)
}
