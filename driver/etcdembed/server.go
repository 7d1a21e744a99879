package etcdembed

import (
	"sync"
	"sync/atomic"

	"go.etcd.io/etcd/server/v3/embed"
	"google.golang.org/grpc"
)

// Server is a member that was started. All methods are safe for concurrent use.
type Server struct {
	set settings
	dir *dataDir

	booted chan struct{}               // closed when etcd's start has come to an end
	etcd   *embed.Etcd                 // nil if that did not succeed; constant once booted is closed
	killed bool                        // etcd's start was cut off in the middle; as etcd
	grpc   atomic.Pointer[grpc.Server] // serves clients; set when it begins to

	ending  sync.Once
	ended   chan struct{} // closed by the first failure, or by Close
	reason  error         // why; written before ended is closed
	stopped chan struct{} // closed when all that could be stopped was
	stuck   error         // what could not; written before stopped is closed
}

func newServer(s settings, dir *dataDir) *Server {
	return &Server{
		set:     s,
		dir:     dir,
		booted:  make(chan struct{}),
		ended:   make(chan struct{}),
		stopped: make(chan struct{}),
	}
}

// Done is closed when the member ends: by a failure, by its removal from the cluster, or by
// Close.
func (s *Server) Done() <-chan struct{} { return s.ended }

// Err says why the member ended: nil while it runs and after Close, else an error that
// matches ErrFailed or ErrRemoved. Such a member still has to be closed.
func (s *Server) Err() error {
	select {
	case <-s.ended:
		return s.reason
	default:
		return nil
	}
}

// fail ends the member. Only the first reason counts. It is called on goroutines of etcd
// that may hold its locks, so it waits for nothing.
func (s *Server) fail(reason error) { s.end(reason, s.abandon) }

// end ends the member, once. stop closes stopped; [Server.Close] waits for that.
func (s *Server) end(reason error, stop func()) {
	s.ending.Do(func() {
		s.reason = reason
		close(s.ended)
		go stop()
	})
}

// watch turns etcd's ways of ending into ours. It returns when the member ends.
func (s *Server) watch() {
	select {
	case <-s.ended:
	case err := <-s.etcd.Err():
		s.fail(failedServing(err))
	case <-s.etcd.Server.StopNotify(): // it does so by itself for one reason only
		s.fail(ErrRemoved)
	}
}
