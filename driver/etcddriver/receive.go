package etcddriver

import (
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// receive passes on one message. An error ends the stream.
func (s *watchStream) receive(m *pb.WatchResponse) error {
	switch {
	case m.Created:
		return s.created(m)
	case m.Canceled:
		if w := s.take(m.WatchId); w != nil {
			w.to.broke(reasonOf(m))
		}
	case len(m.Events) > 0:
		s.mu.Lock()
		w := s.live[m.WatchId]
		s.mu.Unlock()
		if w != nil {
			w.to.changed(m.Events)
		}
	}
	return nil // else it was the answer to a ping
}

// created handles the answer to the oldest request: the server answers in order.
func (s *watchStream) created(m *pb.WatchResponse) error {
	s.mu.Lock()
	if len(s.waiting) == 0 {
		s.mu.Unlock()
		return fmt.Errorf("%w: a watch was answered that was not asked for", driver.ErrUnavailable)
	}
	w := s.waiting[0]
	s.waiting = s.waiting[1:]
	_, givenUp := s.deaf[w]
	delete(s.deaf, w)
	if !m.Canceled {
		w.id = m.WatchId
		s.live[w.id] = w
		if givenUp {
			s.cancelLocked(w)
		}
	}
	s.mu.Unlock()
	if !m.Canceled {
		w.to.begun(m.Header.Revision)
		return nil
	}
	reason := cancelled(m.CancelReason)
	if staleAuth(reason) {
		// The stream is as old as its token. The next one gets a new token.
		w.to.broke(fmt.Errorf("%w: %w", driver.ErrUnavailable, reason))
		if w.wants == hints && s.awaited() {
			return nil // those who wait are served as they are
		}
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, reason)
	}
	w.to.broke(reasonOf(m))
	return nil
}

// take removes a watch that the server has ended.
func (s *watchStream) take(id int64) *watch {
	s.mu.Lock()
	defer s.mu.Unlock()
	w := s.live[id]
	delete(s.live, id)
	return w
}

// reasonOf says why the server ended a watch.
func reasonOf(m *pb.WatchResponse) error {
	if m.CompactRevision != 0 {
		return errCompacted
	}
	reason := cancelled(m.CancelReason)
	if oneOf(reason, errCompacted) {
		return reason
	}
	return fmt.Errorf("%w: %w", kindOf(reason, effect{sent: true}), reason)
}
