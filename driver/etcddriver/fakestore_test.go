package etcddriver

import (
	"context"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	"google.golang.org/grpc"
	"google.golang.org/grpc/peer"

	"github.com/holdgate/holdgate/driver"
)

// fakeStore takes requests and answers them when a test says so.
type fakeStore struct {
	pb.KVClient

	mu    sync.Mutex
	asked []*asked
}

// asked is one request, which waits for its answer.
type asked struct {
	txn     *pb.TxnRequest
	removal *pb.DeleteRangeRequest
	ctx     context.Context
	reply   chan reply
}

type reply struct {
	txn     *pb.TxnResponse
	removal *pb.DeleteRangeResponse
	err     error
}

func (f *fakeStore) Txn(ctx context.Context, in *pb.TxnRequest, opts ...grpc.CallOption) (*pb.TxnResponse, error) {
	r := f.take(&asked{txn: in, ctx: ctx}, opts)
	return r.txn, r.err
}

func (f *fakeStore) DeleteRange(ctx context.Context, in *pb.DeleteRangeRequest, opts ...grpc.CallOption) (*pb.DeleteRangeResponse, error) {
	r := f.take(&asked{removal: in, ctx: ctx}, opts)
	return r.removal, r.err
}

func (f *fakeStore) take(a *asked, opts []grpc.CallOption) reply {
	for _, o := range opts {
		if p, ok := o.(grpc.PeerCallOption); ok {
			*p.PeerAddr = peer.Peer{Addr: &net.TCPAddr{}} // it went out on a connection
		}
	}
	a.reply = make(chan reply, 1)
	f.mu.Lock()
	f.asked = append(f.asked, a)
	f.mu.Unlock()
	select {
	case r := <-a.reply:
		return r
	case <-a.ctx.Done():
		return reply{err: a.ctx.Err()}
	}
}

// rig is a session whose store is a fake, in a bubble.
type rig struct {
	t     *testing.T
	d     *Driver
	s     *session
	store *fakeStore
	seen  int // requests that the test has looked at
}

// inRig runs a test on a rig. The members are made before the bubble: their connections, which
// nobody uses, have goroutines of their own.
func inRig(t *testing.T, test func(*testing.T, *rig), endpoints ...string) {
	t.Helper()
	_, ms := offline(t, append(endpoints, "a:1")...)
	synctest.Test(t, func(t *testing.T) {
		d := &Driver{layout: newLayout(Options{Prefix: "/hg", Records: "/hg"}), members: ms, began: time.Now()}
		d.views, d.tracks, d.gatherer = newViews(d), newTracks(d), newGatherer(d)
		d.ctx, d.stop = context.WithCancelCause(context.Background())
		s := &session{d: d, lease: 7, record: d.layout.session(7), spots: newSpots(leaseText(7))}
		s.ctx, s.end = context.WithCancelCause(d.ctx)
		r := &rig{t: t, d: d, s: s, store: new(fakeStore)}
		for _, m := range ms.all {
			m.KVClient = r.store
		}
		defer d.tasks.Wait()
		defer d.stop(driver.ErrClosed)
		test(t, r)
	})
}

// news are the requests that were sent since the last call.
func (r *rig) news() []*asked {
	synctest.Wait()
	r.store.mu.Lock()
	defer r.store.mu.Unlock()
	fresh := slices.Clone(r.store.asked[r.seen:])
	r.seen = len(r.store.asked)
	return fresh
}

// outcome is what a call has returned, once it has.
type outcome struct {
	id    string
	place driver.Place
	err   error
}

// enter enters a line in the background. A try of "taken" is busy.
func (r *rig) enter(ctx context.Context, n int, name string) <-chan outcome {
	c := driver.Claim{Line: name, ID: idOf(n), Kind: driver.KindMutex, Capacity: 1, Units: 1, Try: strings.HasPrefix(name, "taken")}
	done := make(chan outcome, 1)
	go func() { // ends with the call
		p, err := r.s.Enter(ctx, c)
		done <- outcome{c.ID, p, err}
	}()
	return done
}

// leave leaves a line in the background.
func (r *rig) leave(ctx context.Context, n int, name string) <-chan outcome {
	done := make(chan outcome, 1)
	go func() { done <- outcome{idOf(n), driver.Place{}, r.s.Leave(ctx, name, idOf(n))} }() // ends with the call
	return done
}

// fill has as many transactions under way as may be, and returns them.
func (r *rig) fill() []*asked {
	r.t.Helper()
	for n := range maxFlights {
		r.enter(r.t.Context(), 900+n, "filling "+idOf(900+n))
	}
	flights := r.news()
	if len(flights) != maxFlights {
		r.t.Fatalf("%d requests are under way, want %d", len(flights), maxFlights)
	}
	return flights
}

// gathered ends one of the flights, and returns the batch that goes in its stead.
func (r *rig) gathered(flight *asked) *asked {
	r.t.Helper()
	flight.answer(r)
	batch := r.one()
	if batch.txn == nil || len(batch.txn.Compare) > 0 {
		r.t.Fatalf("what went next is no batch: %v", batch)
	}
	return batch
}

// one is the one request that was sent since the last look.
func (r *rig) one() *asked {
	r.t.Helper()
	fresh := r.news()
	if len(fresh) != 1 {
		r.t.Fatalf("%d requests were sent, want one", len(fresh))
	}
	return fresh[0]
}

// The revision at which a batch or a transaction is answered.
const answeredAt = 4711

// answer answers a request as a store does in which "taken" lines are taken, and all others
// are free.
func (a *asked) answer(r *rig) {
	if a.removal != nil {
		a.reply <- reply{removal: &pb.DeleteRangeResponse{Deleted: 1}}
		return
	}
	answer := r.answerTxn(a.txn)
	answer.Header = &pb.ResponseHeader{Revision: answeredAt}
	a.reply <- reply{txn: answer}
}

func (r *rig) answerTxn(t *pb.TxnRequest) *pb.TxnResponse {
	if line := lineOf(t); len(t.Compare) > 0 && strings.HasPrefix(line, "taken") {
		return &pb.TxnResponse{Responses: r.refusal(line)}
	}
	answer := &pb.TxnResponse{Succeeded: true}
	for _, op := range t.Success {
		answer.Responses = append(answer.Responses, r.answerOp(op))
	}
	return answer
}

func (r *rig) answerOp(op *pb.RequestOp) *pb.ResponseOp {
	switch {
	case op.GetRequestTxn() != nil:
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseTxn{ResponseTxn: r.answerTxn(op.GetRequestTxn())}}
	case op.GetRequestDeleteRange() != nil:
		n := int64(1)
		if strings.HasPrefix(lineOfKey(op.GetRequestDeleteRange().Key), "gone") {
			n = 0
		}
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponseDeleteRange{ResponseDeleteRange: &pb.DeleteRangeResponse{Deleted: n}}}
	default:
		return &pb.ResponseOp{Response: &pb.ResponseOp_ResponsePut{ResponsePut: new(pb.PutResponse)}}
	}
}

// refusal is what a try reads that was refused: its session's record, the line, in which
// somebody holds who is named after it, and nothing at the line's name.
func (r *rig) refusal(line string) []*pb.ResponseOp {
	holder := &mvccpb.KeyValue{
		Key:            []byte(r.d.layout.line(line) + leaseText(8)),
		Value:          placeValue(use{driver.KindMutex, 1}, 1, idOf(999), `{"owner":"`+line+`","ttl":10`, nil),
		CreateRevision: 5, ModRevision: 5, Lease: 8,
	}
	return r.reads(r.record(), holder, nil)
}

func (r *rig) record() *mvccpb.KeyValue { return &mvccpb.KeyValue{Key: []byte(r.s.record), Lease: 7} }

// reads are the answers to reads of one key each, which is there or, with nil, not.
func (r *rig) reads(found ...*mvccpb.KeyValue) (answers []*pb.ResponseOp) {
	for _, kv := range found {
		answer := new(pb.RangeResponse)
		if kv != nil {
			answer.Kvs = append(answer.Kvs, kv)
		}
		answers = append(answers, &pb.ResponseOp{Response: &pb.ResponseOp_ResponseRange{ResponseRange: answer}})
	}
	return answers
}

// linesIn are the lines of a batch, in order.
func (a *asked) linesIn() (lines []string) {
	for _, op := range a.txn.Success {
		if del := op.GetRequestDeleteRange(); del != nil {
			lines = append(lines, lineOfKey(del.Key))
			continue
		}
		lines = append(lines, lineOf(op.GetRequestTxn()))
	}
	return lines
}

// lineOf is the line that a transaction would enter.
func lineOf(t *pb.TxnRequest) string {
	if p := t.Success[0].GetRequestPut(); p != nil {
		return lineOfKey(p.Key)
	}
	return ""
}

func lineOfKey(key []byte) string {
	name, _ := newLayout(Options{Prefix: "/hg", Records: "/hg"}).parse(string(key))
	return name
}
