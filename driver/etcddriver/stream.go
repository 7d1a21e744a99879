package etcddriver

import (
	"context"
	"math"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"

	"github.com/holdgate/holdgate/driver"
)

// watchStream carries all watches of a handle. Each begins without a revision: one that
// begins in the past is served by a loop that etcd runs ten times a second. So a
// stream never resumes; when it breaks, all its watches end, and whoever still needs
// one begins anew, on the next stream.
type watchStream struct {
	d      *Driver
	m      *member
	ctx    context.Context //nolint:containedctx // the stream's own lifetime
	cancel context.CancelCauseFunc
	heard  atomic.Int64 // when the last message came, by the handle's clock

	mu      sync.Mutex
	over    bool
	outbox  []*pb.WatchRequest
	posted  chan struct{}       // has a token while the outbox may have something
	waiting []*watch            // asked for and not answered, in that order
	live    map[int64]*watch    // by the ID that the server gave
	deaf    map[*watch]struct{} // given up before they were answered
}

// watch is one range that is followed.
type watch struct {
	id    int64
	wants wants
	to    sink
}

// wants is what a watch is for.
type wants int

const (
	changes wants = iota
	endings       // only what ends in the range
	hints         // changes, and nobody relies on them
)

// sink is told what a watch brings, in order, by one goroutine. It must not block.
type sink interface {
	// begun says that all changes after this revision will be told.
	begun(revision int64)
	// changed tells all changes of one or more revisions, each of them whole.
	changed(events []*mvccpb.Event)
	// broke says that nothing more will be told.
	broke(err error)
}

// follow begins to watch a range. It reports false when the handle is closed.
func (d *Driver) follow(r keyRange, what wants, to sink) (*watchStream, *watch, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for {
		if d.closed {
			return nil, nil, false
		}
		if d.stream == nil {
			d.openLocked()
		}
		if w, ok := d.stream.add(r, what, to); ok {
			return d.stream, w, true
		}
		d.stream = nil
	}
}

// openLocked starts a stream. What is asked of it before there is a connection waits.
func (d *Driver) openLocked() {
	s := &watchStream{
		d:      d,
		m:      d.members.current(),
		posted: make(chan struct{}, 1),
		live:   make(map[int64]*watch),
		deaf:   make(map[*watch]struct{}),
	}
	s.ctx, s.cancel = context.WithCancelCause(clientv3.WithRequireLeader(d.ctx))
	d.stream = s
	d.taskLocked(s.run) // ends with the stream
}

// run opens the stream and receives until it breaks.
func (s *watchStream) run() {
	s.hear()
	var helpers sync.WaitGroup
	helpers.Go(s.listen) // ends with the stream's context, as does what is sent
	stream, err := s.m.Watch(s.ctx, grpc.MaxCallRecvMsgSize(math.MaxInt32))
	opened := err == nil
	if opened {
		helpers.Go(func() { s.send(stream) })
		err = s.receiveAll(stream)
	}
	if cause := context.Cause(s.ctx); oneOf(cause, errSilent) {
		err = cause
	}
	s.cancel(err)
	helpers.Wait()
	s.breakUp(err, opened)
}

// receiveAll receives until the stream breaks.
func (s *watchStream) receiveAll(stream pb.Watch_WatchClient) error {
	for {
		m, err := stream.Recv()
		if err != nil {
			return err
		}
		s.hear()
		if err := s.receive(m); err != nil {
			return err
		}
	}
}

func (s *watchStream) hear() { s.heard.Store(int64(s.d.now())) }

// send sends what is in the outbox. Only this goroutine blocks when the connection does.
func (s *watchStream) send(stream pb.Watch_WatchClient) {
	for {
		s.mu.Lock()
		requests := s.outbox
		s.outbox = nil
		s.mu.Unlock()
		for _, r := range requests {
			if stream.Send(r) != nil {
				return // the reason is told by Recv
			}
		}
		select {
		case <-s.posted:
		case <-s.ctx.Done():
			return
		}
	}
}

// listen asks for a word when the stream is silent, and ends it when none comes.
func (s *watchStream) listen() {
	tick := time.NewTicker(pingAfter)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-s.ctx.Done():
			return
		}
		silent := s.d.now() - time.Duration(s.heard.Load())
		switch {
		case !s.awaited():
			s.hear() // nothing is awaited
		case silent >= silentFor:
			s.cancel(errSilent)
			s.d.members.giveUp(s.m, s.d.now())
			return
		case silent >= pingAfter:
			s.post(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_ProgressRequest{ProgressRequest: &pb.WatchProgressRequest{}}})
		}
	}
}

// awaited reports whether anybody relies on what the stream brings.
func (s *watchStream) awaited() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.live {
		if w.wants != hints {
			return true
		}
	}
	return slices.ContainsFunc(s.waiting, func(w *watch) bool { return w.wants != hints })
}

func (s *watchStream) post(r *pb.WatchRequest) {
	s.mu.Lock()
	s.postLocked(r)
	s.mu.Unlock()
}

func (s *watchStream) postLocked(r *pb.WatchRequest) {
	s.outbox = append(s.outbox, r)
	select {
	case s.posted <- struct{}{}:
	default:
	}
}

// add asks for a watch. It reports false when the stream is over.
func (s *watchStream) add(r keyRange, what wants, to sink) (*watch, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.over {
		return nil, false
	}
	w := &watch{wants: what, to: to}
	s.waiting = append(s.waiting, w)
	request := &pb.WatchCreateRequest{Key: []byte(r.from), RangeEnd: r.rangeEnd()}
	if what == endings {
		request.Filters = []pb.WatchCreateRequest_FilterType{pb.WatchCreateRequest_NOPUT}
	}
	s.postLocked(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CreateRequest{CreateRequest: request}})
	return w, true
}

// drop gives a watch up. Its sink may still be told a little.
func (s *watchStream) drop(w *watch) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.live[w.id] == w:
		s.cancelLocked(w)
	case slices.Contains(s.waiting, w):
		s.deaf[w] = struct{}{} // the server cannot be told which one before it answers
	}
}

func (s *watchStream) cancelLocked(w *watch) {
	delete(s.live, w.id)
	s.postLocked(&pb.WatchRequest{RequestUnion: &pb.WatchRequest_CancelRequest{
		CancelRequest: &pb.WatchCancelRequest{WatchId: w.id},
	}})
}

// breakUp ends all watches.
func (s *watchStream) breakUp(err error, sent bool) {
	if !oneOf(err, driver.ErrUnavailable) {
		err = s.d.explain(context.Background(), err, effect{sent: sent}, request{s.m, 0})
	}
	s.mu.Lock()
	s.over = true
	all := s.waiting
	for _, w := range s.live {
		all = append(all, w)
	}
	s.waiting, s.live = nil, nil
	s.mu.Unlock()
	for _, w := range all {
		w.to.broke(err)
	}
}
