package etcddriver

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"google.golang.org/protobuf/proto"

	"github.com/holdgate/holdgate/driver"
)

// maxFlights is how many transactions are under way at once before others gather.
const maxFlights = 4

// gatherer is the group commit of a handle. While as many transactions are under way as may
// be, what else is asked for gathers, and goes with the next one: no timers, and the busier,
// the larger the batches. With room an operation goes out at once, by its caller, as it is.
//
// Each line is among those that wait at most once. So the operations of a batch touch
// disjoint keys (names are escaped, so that no line is below another), and of what they
// share, the record of their session, none is written. A batch is therefore as good as its
// operations one after the other, except that they have one revision. In one line that would
// do harm: two places would have no order, and what one operation has not seen of another
// would be taken for older than its look (see nobodySince).
type gatherer struct {
	d *Driver

	mu     sync.Mutex
	now    *flights
	queue  []*operation
	lines  map[string]struct{} // of the queue
	limits limits
}

func newGatherer(d *Driver) *gatherer {
	return &gatherer{d: d, lines: make(map[string]struct{}), limits: limits{ops: maxBatch, bytes: maxBatchBytes}}
}

// flights counts the transactions that are under way at a member. One that is left may keep
// its own for long: when it is asked again, a new count begins.
type flights struct {
	m *member
	n int
}

// operation is what one caller wants to have done in one line.
type operation struct {
	line  string
	op    *pb.RequestOp
	size  int
	batch *batch // that it went with, nil while it waits; guarded by the gatherer's mutex

	done   chan struct{} // closed; then the rest is set
	answer *pb.ResponseOp
	header *pb.ResponseHeader
	err    error
}

// free takes one of the flights, for an operation that goes by itself. It reports false
// when it has to wait: others do, or all flights are under way.
func (g *gatherer) free() (f *flights, ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f = g.flightsLocked()
	if len(g.queue) > 0 || f.n >= maxFlights {
		return nil, false
	}
	f.n++
	return f, true
}

// landed gives a flight back.
func (g *gatherer) landed(f *flights) {
	g.mu.Lock()
	defer g.mu.Unlock()
	f.n--
	g.startLocked()
}

// flightsLocked counts anew when another member is asked: what hangs at the old one keeps
// nobody waiting.
func (g *gatherer) flightsLocked() *flights {
	if m := g.d.members.current(); g.now == nil || m != g.now.m {
		g.now = &flights{m: m}
	}
	return g.now
}

// join has an operation done with the next batch, and awaits its answer. It returns
// errSingly when it has to be sent by itself.
func (g *gatherer) join(ctx context.Context, line string, op *pb.RequestOp) (*operation, error) {
	o := &operation{line: line, op: op, size: proto.Size(op), done: make(chan struct{})}
	if !g.add(o) { //nolint:contextcheck // a batch is of several callers
		return nil, errSingly
	}
	select {
	case <-o.done:
		return o, o.err
	case <-ctx.Done():
		return o, g.giveUp(ctx, o)
	case <-g.d.ctx.Done():
		return nil, driver.ErrClosed
	}
}

// add lets an operation wait. It reports false when one in that line does already: lines
// that many want would else be served one operation a batch.
func (g *gatherer) add(o *operation) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, waits := g.lines[o.line]; waits {
		return false
	}
	g.lines[o.line] = struct{}{}
	g.queue = append(g.queue, o)
	g.startLocked()
	return true
}

// giveUp ends the wait for an operation, and for its batch when nobody else waits for that.
func (g *gatherer) giveUp(ctx context.Context, o *operation) error {
	g.mu.Lock()
	b := o.batch
	if b == nil {
		g.queue = slices.DeleteFunc(g.queue, func(other *operation) bool { return other == o })
		delete(g.lines, o.line)
		g.mu.Unlock()
		return fmt.Errorf("%w: not sent: %w", driver.ErrUnavailable, context.Cause(ctx))
	}
	if b.awaited--; b.awaited == 0 {
		b.end(errNobodyWaits)
	}
	g.mu.Unlock()
	select {
	case <-o.done:
		return o.err
	default:
		g.d.impatient(b.asked)
		// It may have chosen another member, where there is room.
		g.start() //nolint:contextcheck // a batch is of several callers
		return fmt.Errorf("%w: %w", driver.ErrUnknownOutcome, context.Cause(ctx))
	}
}

func (g *gatherer) start() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.startLocked()
}

// startLocked has what waits sent, if there is room.
func (g *gatherer) startLocked() {
	f := g.flightsLocked()
	if len(g.queue) == 0 || f.n >= maxFlights {
		return
	}
	if g.d.task(func() { g.fly(f) }) { // ends when nobody waits
		f.n++
	}
}

// fly sends batches until nobody waits. Those who were just answered are mostly about to
// ask for something again: they are let first.
func (g *gatherer) fly(f *flights) {
	for {
		b, ctx := g.take(f)
		if b == nil {
			return
		}
		g.send(ctx, b)
		runtime.Gosched()
	}
}

// take makes a batch of those that wait, or gives the flight back.
func (g *gatherer) take(f *flights) (*batch, context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	switch {
	case g.flightsLocked() != f:
		f.n--
		g.startLocked()
		return nil, nil
	case len(g.queue) == 0:
		f.n--
		return nil, nil
	}
	n := g.limits.of(g.queue)
	b := &batch{all: slices.Clone(g.queue[:n]), awaited: n, asked: request{f.m, g.d.now()}}
	g.queue = slices.Delete(g.queue, 0, n)
	for _, o := range b.all {
		o.batch = b
		delete(g.lines, o.line)
	}
	var ctx context.Context
	ctx, b.end = context.WithCancelCause(g.d.ctx)
	return b, ctx
}
