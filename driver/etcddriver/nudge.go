package etcddriver

import (
	"context"
	"sync"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

// nudges hears of marks on the places of a session, and of the end of its record, and asks
// for a renewal then. The record goes before its time when an operator revokes the lease
// or when a leader that was stopped for longer than a TTL goes on: it may still take
// itself for the leader, and has what it believes to be expired leases revoked.
//
// It begins with the first renewal: a process that is about to end needs no watch, and no
// leader was stopped for a TTL that knew the session.
type nudges struct {
	s    *session
	wake chan struct{}

	mu     sync.Mutex
	follow bool // it does, or may not any more
	end    func() bool
}

func newNudges(s *session) *nudges { return &nudges{s: s, wake: make(chan struct{}, 1)} }

// Nudges has a value when the session shall be renewed.
func (s *session) Nudges() <-chan struct{} { return s.nudges.wake }

// listen begins to follow, or begins anew where that broke.
func (n *nudges) listen() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.follow {
		return
	}
	stream, w, ok := n.s.d.follow(withMarks(n.s.record), hints, n)
	if !ok {
		return // the handle is closed
	}
	n.follow = true
	n.end = context.AfterFunc(n.s.ctx, func() { stream.drop(w) })
}

// begun looks at what may have happened between the renewal and the beginning of the watch.
func (n *nudges) begun(int64) {
	n.s.d.task(func() { // ends with the answer, or with the session
		answer, err := read(n.s.ctx, n.s.d, (*member).Range, rangeOf(withMarks(n.s.record)))
		if err == nil && (len(answer.Kvs) != 1 || string(answer.Kvs[0].Key) != n.s.record) {
			n.nudge() // it has ended, or there are marks
		}
	})
}

func (n *nudges) nudge() {
	select {
	case n.wake <- struct{}{}:
	default: // it was asked already
	}
}

func (n *nudges) changed(events []*mvccpb.Event) {
	for _, e := range events {
		if string(e.Kv.Key) == n.s.record && e.Type == mvccpb.PUT {
			continue // the session wrote it
		}
		if string(e.Kv.Key) != n.s.record && e.Type == mvccpb.DELETE {
			continue // a mark that was heeded
		}
		n.nudge()
		return
	}
}

func (n *nudges) broke(error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.end()
	n.follow = n.s.ctx.Err() != nil
}
