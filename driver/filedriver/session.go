package filedriver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Session is a file that this process has locked. It lives as long as the open file
// does: until Close, or until the last process that has it ends.
type Session struct {
	d     *Driver
	id    string
	owner string
	file  *os.File // locked
	inode inode    // of file
	pipe  *os.File // what is written to wake us

	calls calls
	pump  sync.WaitGroup // the goroutine that reads the pipe

	mu     sync.Mutex
	turns  map[string]*turn
	places map[placeKey]*standing
	waits  map[string][]*sleeper

	inherited atomic.Bool // somebody else may have the lock too

	closing sync.Once
	closed  chan struct{} // everything was given back
	failed  error         // what giving back met; set before closed
}

// standing is a place that this session made, and may still have. Only the holder of
// the turn of its ID changes it.
type standing struct {
	line  *line
	file  string
	place driver.Place
	// waiting says that the file which tells that somebody sleeps was made. It is guarded
	// by the session's mutex, as is granted: once a caller was told, it stays so.
	waiting, granted bool
}

// placeKey is what a session knows a place by.
type placeKey struct{ line, id string }

func keyOf(p *driver.Place) placeKey { return placeKey{p.Line, p.ID} }

// ID is the name of the session's file.
func (s *Session) ID() string { return s.id }

// TTL is 0: a session does not expire by time. A process that is stopped keeps its
// places.
func (s *Session) TTL() time.Duration { return 0 }

// stands reports an error unless the session's file is still the one that was locked.
// Whoever removed it may have removed our places since, and let others through.
func (s *Session) stands() error {
	found, err := identify(s.d.root.session(s.id))
	switch {
	case err == nil && found == s.inode:
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	s.calls.end(fmt.Errorf("%w: the file of session %s was removed", driver.ErrSessionLost, s.id))
	return s.calls.ended()
}

// name gives the session's file one more name.
func (s *Session) name(path string) error {
	err := s.d.root.name(s.d.root.session(s.id), path)
	if errors.Is(err, fs.ErrNotExist) {
		if lost := s.stands(); lost != nil {
			return lost
		}
	}
	return err
}

// standingAt returns what this session knows of a place, or nil.
func (s *Session) standingAt(line, id string) *standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.places[placeKey{line, id}]
}

func (s *Session) forget(p *driver.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.places, keyOf(p))
}

// tookGrant takes down that a caller is told of a grant.
func (s *Session) tookGrant(p driver.Place) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.places[keyOf(&p)]; st != nil && p.Granted {
		st.granted = true
	}
}

// granted reports whether a place is one of this driver that a caller was told is granted.
func (d *Driver) granted(p *driver.Place) bool {
	d.mu.Lock()
	s := d.sessions[p.Session]
	d.mu.Unlock()
	if s == nil {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	st := s.places[keyOf(p)]
	return st != nil && st.granted
}

// all returns every place that this session may have.
func (s *Session) all() []*standing {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := make([]*standing, 0, len(s.places))
	for _, st := range s.places {
		out = append(out, st)
	}
	return out
}
