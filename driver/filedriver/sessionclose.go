package filedriver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/holdgate/holdgate/driver"
)

// Close gives back all places of the session, and ends it. When ctx ends before, the
// rest is given back in the background.
func (s *Session) Close(ctx context.Context) error {
	k, err := s.d.calls.begin(ctx)
	if errors.Is(err, driver.ErrClosed) {
		return nil // closing the driver closed the session
	}
	if err != nil {
		return err
	}
	defer k.done()
	s.closing.Do(func() {
		// Ends when everything is given back; Driver.Close waits for it.
		s.d.routines.Go(func() {
			defer close(s.closed)
			s.quit(fmt.Errorf("%w: session %s was closed", driver.ErrSessionLost, s.id))
			s.failed = s.giveBack()
		})
	})
	select {
	case <-s.closed:
		return translate(s.failed)
	case <-k.Done():
		return cancelled(k)
	}
}

// abandon ends the session as the end of the process would: its places go, unless a
// child process has the lock too.
func (s *Session) abandon() error {
	s.closing.Do(func() {
		defer close(s.closed)
		s.quit(driver.ErrClosed)
		if !s.inherited.Load() {
			s.failed = s.giveBack()
			return
		}
		// Without its pipe, nobody relies on this process to tell of the session's end.
		s.closeFiles()
		for _, st := range s.all() {
			st.line.announce(st.place.Order)
		}
	})
	<-s.closed
	return s.failed
}

// giveBack removes the places, then the session.
func (s *Session) giveBack() error {
	s.d.mu.Lock()
	delete(s.d.sessions, s.id)
	s.d.mu.Unlock()
	err := s.leaveAll()
	// The name goes before the lock: a session without a name is dead to everybody.
	err = errors.Join(err, ignoreMissing(s.d.root.unlink(s.d.root.session(s.id))))
	s.closeFiles()
	return err
}

// quit ends all calls, and waits for them.
func (s *Session) quit(why error) {
	s.calls.end(why)
	s.calls.wait()
	_ = s.pipe.Close()
	s.pump.Wait()
}

func (s *Session) leaveAll() error {
	var errs []error
	for _, st := range s.all() {
		if err := s.remove(st); err != nil && !errors.Is(err, driver.ErrGone) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}

// Inherit returns the locked file once more: who has it keeps the session.
func (s *Session) Inherit() ([]*os.File, error) {
	k, err := s.calls.begin(s.d.life)
	if err != nil {
		return nil, err
	}
	defer k.done()
	s.inherited.Store(true)
	f, err := duplicate(s.file)
	if err != nil {
		return nil, translate(err)
	}
	return []*os.File{f}, nil
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}
