package etcddriver

import (
	"errors"
	"fmt"
	"slices"
	"testing"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/v3rpc/rpctypes"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/holdgate/holdgate/driver"
)

// Whatever the others are told, each is told what came of its own.
func TestABatchOfMixedOutcomes(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		var free, taken []<-chan outcome
		for n := range 3 { // to be left
			name := []string{"gone", "left", "left too"}[n]
			entered := r.enter(t.Context(), 100+n, name)
			r.one().answer(r)
			<-entered
		}
		flights := r.fill()
		gone := r.leave(t.Context(), 100, "gone")
		for n := range 5 {
			free = append(free, r.enter(t.Context(), n, fmt.Sprint("free ", n)))
			taken = append(taken, r.enter(t.Context(), 10+n, fmt.Sprint("taken ", n)))
		}
		left, leftToo := r.leave(t.Context(), 101, "left"), r.leave(t.Context(), 102, "left too")
		r.news()
		r.gathered(flights[0]).answer(r)
		for n := range 5 {
			o := <-free[n]
			if o.err != nil || !o.place.Granted || o.place.ID != o.id || o.place.Order != answeredAt {
				t.Errorf("a free lock: got %+v, error %v", o.place, o.err)
			}
			o = <-taken[n]
			busy, ok := errors.AsType[*driver.BusyError](o.err)
			if want := fmt.Sprint("taken ", n); !ok || busy.Head.Line != want || busy.Head.Owner != want {
				t.Errorf("a lock that is taken: got the error %v, want busy, by the holder of %q", o.err, want)
			}
		}
		for _, o := range []outcome{<-left, <-leftToo} {
			if o.err != nil {
				t.Errorf("a place that stood: got the error %v", o.err)
			}
		}
		r.one().reply <- reply{txn: &pb.TxnResponse{Succeeded: true, Responses: r.reads(r.record())}}
		if o := <-gone; !errors.Is(o.err, driver.ErrGone) {
			t.Errorf("a place that was gone: got the error %v", o.err)
		}
	})
}

// When the store refuses a batch for one of its operations, the others are done all the same.
func TestARefusedBatchIsSentSingly(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ refusal, want error }{
		"denied":       {rpctypes.ErrGRPCPermissionDenied, driver.ErrDenied},
		"too large":    {rpctypes.ErrGRPCRequestTooLarge, driver.ErrTooLarge},
		"a lost lease": {rpctypes.ErrGRPCLeaseNotFound, driver.ErrSessionLost},
		"a full store": {rpctypes.ErrGRPCNoSpace, driver.ErrUnavailable},
		"a key twice":  {rpctypes.ErrGRPCDuplicateKey, driver.ErrInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inRig(t, func(t *testing.T, r *rig) {
				flights := r.fill()
				good, bad := r.enter(t.Context(), 1, "good"), r.enter(t.Context(), 2, "bad")
				r.news()
				r.gathered(flights[0]).reply <- reply{err: c.refusal}
				singly := r.news()
				if len(singly) != 2 {
					t.Fatalf("%d requests were sent after the refusal, want one each", len(singly))
				}
				for _, a := range singly {
					if lineOf(a.txn) == "bad" {
						a.reply <- reply{err: c.refusal}
						continue
					}
					a.answer(r)
				}
				if o := <-good; o.err != nil {
					t.Errorf("the good one: got the error %v", o.err)
				}
				if o := <-bad; !errors.Is(o.err, c.want) {
					t.Errorf("the bad one: got the error %v, want %v", o.err, c.want)
				}
			})
		})
	}
}

// What is nobody's own is told to all, once: a store that is away is not asked again by each.
func TestABatchWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ err, want error }{
		"lost":      {status.Error(codes.Unavailable, "error reading from server: EOF"), driver.ErrUnknownOutcome},
		"no leader": {rpctypes.ErrGRPCNoLeader, driver.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inRig(t, func(t *testing.T, r *rig) {
				flights := r.fill()
				a, b := r.enter(t.Context(), 1, "a"), r.enter(t.Context(), 2, "b")
				r.news()
				r.gathered(flights[0]).reply <- reply{err: c.err}
				for _, o := range []outcome{<-a, <-b} {
					if !errors.Is(o.err, c.want) {
						t.Errorf("got the error %v, want %v", o.err, c.want)
					}
				}
				if more := r.news(); len(more) > 0 {
					t.Errorf("%d requests were sent after that", len(more))
				}
				if at, _, _ := r.s.spots.find("a", idOf(1)); at.doubtful != errors.Is(c.want, driver.ErrUnknownOutcome) {
					t.Errorf("the place is in doubt: %v", at.doubtful)
				}
			})
		})
	}
}

// A server may be set up to take fewer operations in one transaction.
func TestBatchesThatAreTooLargeBecomeSmaller(t *testing.T) {
	t.Parallel()
	inRig(t, func(t *testing.T, r *rig) {
		flights := r.fill()
		enter := func(from int) {
			for n := range 8 {
				r.enter(t.Context(), from+n, fmt.Sprint("line ", from+n))
			}
			r.news()
		}
		enter(0)
		batch := r.gathered(flights[0])
		if n := len(batch.txn.Success); n != 8 {
			t.Fatalf("the first batch has %d operations, want 8", n)
		}
		batch.reply <- reply{err: rpctypes.ErrGRPCTooManyOps}
		for _, a := range r.news() {
			a.answer(r)
		}
		flights = append(flights[1:], nil)
		r.enter(t.Context(), 700, "filling again")
		flights[len(flights)-1] = r.one()
		enter(10)
		if n := len(r.gathered(flights[0]).txn.Success); n != 4 {
			t.Errorf("the next batch has %d operations, want 4", n)
		}
	})
}

func TestLimits(t *testing.T) {
	t.Parallel()
	sized := func(sizes ...int) (queue []*operation) {
		for _, n := range sizes {
			queue = append(queue, &operation{size: n})
		}
		return queue
	}
	for _, c := range []struct {
		sizes []int
		want  int
	}{
		{[]int{10, 10, 10, 10, 10}, 4}, // operations
		{[]int{60, 30, 30, 30}, 2},     // bytes
		{[]int{500, 1}, 1},             // one goes in any case
	} {
		if got := (limits{ops: 4, bytes: 100}).of(sized(c.sizes...)); got != c.want {
			t.Errorf("of the sizes %v %d go together, want %d", c.sizes, got, c.want)
		}
	}
	l := limits{ops: maxBatch, bytes: maxBatchBytes}
	for range 20 {
		l.heed(&batch{all: slices.Repeat(sized(1), l.ops)}, rpctypes.ErrGRPCTooManyOps)
		l.heed(&batch{}, driver.ErrTooLarge)
	}
	if want := (limits{ops: 1, bytes: minBatchBytes}); l != want {
		t.Errorf("after many refusals the limits are %+v, want %+v", l, want)
	}
}
