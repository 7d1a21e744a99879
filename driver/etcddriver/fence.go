package etcddriver

import (
	"bytes"
	"sync/atomic"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
)

// fence keeps requests that were given up from making places later.
//
// A request that timed out here may be carried out seconds later, by another member than
// the one that answered a Leave of the same ID meanwhile. So a request to make a
// place holds only while the session's record has the revision that was known when it
// was sent. A Leave that finds no place writes the record: whatever was sent before
// it comes too late. Requests for other places that are under way are sent again.
type fence struct {
	revision atomic.Int64 // of the record, the latest known
}

// moved notes a revision of the record.
func (f *fence) moved(revision int64) {
	for {
		known := f.revision.Load()
		if known >= revision || f.revision.CompareAndSwap(known, revision) {
			return
		}
	}
}

// unfenced is true while nothing has been fenced off that this process does not know of:
// it goes into every request that makes a place.
func (s *session) unfenced() *pb.Compare { return unchanged(s.record, s.fence.revision.Load()) }

// fenceOff writes the record again.
func (s *session) fenceOff() *pb.RequestOp { return put(s.record, s.text, s.lease) }

// mine is true while this handle carries the session on.
func (s *session) mine() *pb.Compare {
	c := compare(one(s.record), pb.Compare_VALUE, pb.Compare_EQUAL)
	c.TargetUnion = &pb.Compare_Value{Value: s.text}
	return c
}

// lives judges the session by its record, as it was read.
func (s *session) lives(record []*mvccpb.KeyValue) error {
	switch {
	case len(record) == 0:
		return s.lost()
	case !bytes.Equal(record[0].Value, s.text):
		return s.moved()
	}
	s.fence.moved(record[0].ModRevision)
	return nil
}
