package etcddriver

import (
	"context"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// commit carries out a transaction that touches this line and no other, and compares but
// does not write the session's record: perhaps together with such of other lines.
func (s *session) commit(ctx context.Context, line string, t *pb.TxnRequest) (*pb.TxnResponse, error) {
	return perhapsTogether(ctx, s.d, line, nested(t),
		func() (*pb.TxnResponse, error) { return s.txn(ctx, t) },
		func(o *operation) *pb.TxnResponse {
			answer := o.answer.GetResponseTxn()
			answer.Header = o.header // one that is nested has no revision of its own
			return answer
		})
}

// remove removes keys of this line, perhaps together with what is done in others.
func (s *session) remove(ctx context.Context, line string, keys keyRange) (*pb.DeleteRangeResponse, error) {
	op := del(keys)
	return perhapsTogether(ctx, s.d, line, op,
		func() (*pb.DeleteRangeResponse, error) {
			return write(ctx, s.d, (*member).DeleteRange, op.GetRequestDeleteRange())
		},
		func(o *operation) *pb.DeleteRangeResponse { return o.answer.GetResponseDeleteRange() })
}

// perhapsTogether has an operation done: singly, when nothing is under way that would keep it
// waiting, else in a batch.
func perhapsTogether[A any](
	ctx context.Context, d *Driver, line string, op *pb.RequestOp, singly func() (A, error), of func(*operation) A,
) (A, error) {
	if !d.layout.apart() {
		return singly()
	}
	if f, ok := d.gatherer.free(); ok {
		defer d.gatherer.landed(f) //nolint:contextcheck // what it sends is not this caller's
		return singly()
	}
	o, err := d.gatherer.join(ctx, line, op)
	switch {
	case oneOf(err, errSingly):
		return singly()
	case err != nil:
		var none A
		return none, err
	}
	return of(o), nil
}
