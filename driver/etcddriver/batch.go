package etcddriver

import (
	"context"
	"errors"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"

	"github.com/holdgate/holdgate/driver"
)

// What a batch has at most, where the server takes as much. By default it takes 128
// operations, of which each branch of a nested transaction adds its own, at most 11 (those
// of Enter), to the number of all in the batch; and requests of 1.5 MiB.
const (
	maxBatch      = 100
	maxBatchBytes = 1 << 20
)

// batch is several operations in one transaction. It is carried out whether or not their
// callers still wait, as long as one does.
type batch struct {
	all     []*operation
	asked   request
	awaited int                     // callers that did not give up; guarded by the gatherer's mutex
	end     context.CancelCauseFunc // of the request
}

var (
	// errSingly: an operation was not done, and has to be sent by itself.
	errSingly = errors.New("to be sent by itself")
	// errNobodyWaits ends a batch that all its callers have given up.
	errNobodyWaits = errors.New("nobody waits for the answer")
)

// send carries a batch out and hands each operation its answer.
func (g *gatherer) send(ctx context.Context, b *batch) {
	defer b.end(nil)
	t := &pb.TxnRequest{Success: make([]*pb.RequestOp, len(b.all))}
	for i, o := range b.all {
		t.Success[i] = o.op
	}
	answer, err := write(ctx, g.d, (*member).Txn, t)
	if err != nil {
		err = g.judge(b, err)
	}
	for i, o := range b.all {
		if o.err = err; err == nil {
			o.answer, o.header = answer.Responses[i], answer.Header
		}
		close(o.done)
	}
}

// judge says what the failure of a batch means to its operations. When the store has refused
// it for what may be one of them, nothing was done, and each is sent by itself: so nobody
// bears what is another's.
func (g *gatherer) judge(b *batch, err error) error {
	if len(b.all) == 1 || !ofOne(err) {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.limits.heed(b, err)
	return errSingly
}

// ofOne reports whether a transaction may have been refused for one of its operations. A
// full store refuses those that make places, and takes the others.
func ofOne(err error) bool {
	return refusal(err) || oneOf(err, driver.ErrSessionLost, rpctypes.ErrGRPCNoSpace)
}

// limits bound a batch.
type limits struct{ ops, bytes int }

// of is how many of those that wait go together: one at least.
func (l limits) of(queue []*operation) int {
	n, size := 0, 0
	for n < min(len(queue), l.ops) {
		if size += queue[n].size; size > l.bytes && n > 0 {
			break
		}
		n++
	}
	return n
}

// minBatchBytes is more than any operation has.
const minBatchBytes = 64 << 10

// heed makes batches smaller when the server takes less than it does by default.
func (l *limits) heed(b *batch, err error) {
	switch {
	case oneOf(err, rpctypes.ErrGRPCTooManyOps):
		l.ops = max(1, min(l.ops, len(b.all)/2))
	case oneOf(err, driver.ErrTooLarge):
		l.bytes = max(minBatchBytes, l.bytes/2)
	}
}
