package etcdembed

import (
	"errors"
	"fmt"
	"time"
)

const (
	// lastCalls is how long requests under way may take to end when the member is closed.
	// Watches do not end by themselves, so this is also what a watch delays it by.
	lastCalls = 500 * time.Millisecond
	// stopLimit is beyond what any stop takes that comes to an end: 7 s to hand over the
	// leadership to a member that does not answer, as much for etcd's own second try, and
	// the rest.
	stopLimit = 20 * time.Second
	// failedLimit is for a member that failed. Where etcd would have ended the process, what
	// waits for the goroutine that met the failure waits for good.
	failedLimit = 2 * time.Second
)

// Close stops the member: one that leads hands over first, so that the others go on without
// an election. It takes up to 20 s, mostly far less. An error that matches [ErrStuck] means
// that parts of it still run, as they may after a failure; it serves nobody then. Closing
// again waits, and says the same.
func (s *Server) Close() error {
	s.end(nil, s.leave)
	return s.awaitStop()
}

func (s *Server) awaitStop() error {
	d := stopLimit
	if errors.Is(s.Err(), ErrFailed) {
		d = failedLimit
	}
	limit := time.NewTimer(d)
	defer limit.Stop()
	select {
	case <-s.stopped:
		return s.stuck
	case <-limit.C:
		return fmt.Errorf("%w within %v", ErrStuck, d)
	}
}

// leave stops a member that works.
func (s *Server) leave() {
	if s.etcd != nil {
		_ = s.etcd.Server.TryTransferLeadershipOnShutdown() // the others elect if it fails
		s.hangUp()
	}
	s.abandon()
}

// hangUp ends the service to clients: they find another member while their calls under way
// are answered.
func (s *Server) hangUp() {
	g := s.grpc.Load()
	if g == nil || s.set.listen.Scheme == "https" { // over TLS it cannot end gracefully: net/http has the connections
		return
	}
	limit := time.AfterFunc(lastCalls, g.Stop)
	defer limit.Stop()
	g.GracefulStop()
}

// abandon stops a member that may not work. It may wait for good where a goroutine of etcd
// was ended that held a lock; then stopped is never closed, and the directory is not given
// up.
func (s *Server) abandon() {
	<-s.booted
	if s.killed { // what it had opened by then is not known, so the directory is not free
		s.stuck = ErrStuck
		close(s.stopped)
		return
	}
	if s.etcd != nil {
		s.halt()
	}
	s.stuck = s.dir.close()
	close(s.stopped)
}

// halt ends the service first: what comes after it may wait for good.
func (s *Server) halt() {
	if g := s.grpc.Load(); g != nil {
		g.Stop()
	}
	for _, l := range s.etcd.Clients {
		_ = l.Close() // etcd closes it again
	}
	for _, l := range s.etcd.Peers {
		_ = l.Close()
	}
	s.etcd.Server.HardStop() // etcd's Close alone would wait for a member that is not ready
	s.etcd.Close()
}
