package etcddriver

import (
	"context"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// refusals are lines that a try of the session was refused lately. The next try of such a
// line looks before it asks to join: a request that may write is agreed on by the members
// and written down by each, also when it then changes nothing. So whoever polls a lock that
// is held costs the store no commit. Where the line is free by then, it costs one look more.
type refusals struct {
	mu    sync.Mutex
	lines map[string]struct{}
}

// maxRefusals bounds what is remembered. When there are more, all are forgotten, which costs
// the next try of each a commit.
const maxRefusals = 1_000

// note notes what became of a try for all these lines.
func (r *refusals) note(claims []*claim, refused bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if refused && (r.lines == nil || len(r.lines)+len(claims) > maxRefusals) {
		r.lines = make(map[string]struct{})
	}
	for _, c := range claims {
		if refused {
			r.lines[c.Line] = struct{}{}
		} else {
			delete(r.lines, c.Line)
		}
	}
}

// any reports whether one of these lines was refused lately.
func (r *refusals) any(claims []*claim) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, c := range claims {
		if _, ok := r.lines[c.Line]; ok {
			return true
		}
	}
	return false
}

// poll is tryAll for whoever may have tried before.
func (s *session) poll(ctx context.Context, claims []*claim) (places []driver.Place, err error) {
	if s.refusals.any(claims) {
		places, err = s.lookBefore(ctx, claims)
	}
	if places == nil && err == nil {
		places, err = s.tryAll(ctx, claims)
	}
	if busy := oneOf(err, driver.ErrBusy); busy || err == nil {
		s.refusals.note(claims, busy)
	}
	return places, err
}

// lookBefore returns the places when all claims stand already, an error when they cannot all
// be granted, and neither when it is worth asking.
func (s *session) lookBefore(ctx context.Context, claims []*claim) ([]driver.Place, error) {
	answer, err := s.look(ctx, linesOf(claims)...)
	if err != nil {
		return nil, err
	}
	saw, err := s.seen(claims, answer)
	if err != nil {
		return nil, err
	}
	return decide(claims, saw)
}

// seen are the lines as an answer to lookAt shows them.
func (s *session) seen(claims []*claim, answer *pb.TxnResponse) ([]*lineup, error) {
	if err := s.lives(keysIn(answer, 0)); err != nil {
		return nil, err
	}
	saw := make([]*lineup, len(claims))
	for i, c := range claims {
		saw[i] = newLineup(c.Line, c.line.from, keysIn(answer, 2*i+1))
		if err := noSingle(keysIn(answer, 2*i+2)); err != nil {
			return nil, err
		}
	}
	return saw, nil
}
