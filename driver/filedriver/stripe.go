package filedriver

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"math/rand/v2"
	"os"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// stripes is how many lock files there are. It is part of the layout: everybody must
// find the same one for a line.
const stripes = 64

// stripe is a lock file, and what it guards: the end of every line that falls on it,
// and the counter that gives them orders. Who enters a line, swaps or evicts a place
// in it holds its stripe; who waits, leaves or lists does not, so that a process
// that is stopped inside holds up newcomers only.
//
// Lock files are never removed: two processes would lock two files of one name.
type stripe struct {
	path string
	disk *disk
	// turn is held by the goroutine that has, or tries to get, the file lock: that lock
	// belongs to the process.
	turn  chan struct{}
	file  *os.File // guarded by turn
	inode inode    // of file
}

func newStripe(path string, d *disk) *stripe {
	return &stripe{path: path, disk: d, turn: make(chan struct{}, 1)}
}

// stripeOf returns the number of the stripe of a line.
func stripeOf(name string) int {
	h := fnv.New32a()
	_, _ = h.Write([]byte(name)) // never fails
	return int(h.Sum32() % stripes)
}

// lock waits for the lock file. It ends by its context with an error that names the
// process that has it.
func (s *stripe) lock(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
	case <-ctx.Done():
		return s.stuck(ctx)
	}
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		locked, err := s.tryFile()
		if locked {
			return nil
		}
		if err == nil {
			err = sleep(ctx, pause/2+rand.N(pause))
			if err != nil {
				err = s.stuck(ctx)
			}
		}
		if err != nil {
			<-s.turn
			return err
		}
	}
}

// The lock is held for some tens of microseconds. Trying again after about as long,
// and after longer when its holder is stopped, needs no thread that sits in a system
// call that nothing can end.
const (
	firstPause = 20 * time.Microsecond
	lastPause  = 20 * time.Millisecond
)

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-t.C:
		return nil
	}
}

// tryLock takes the lock if nobody has it.
func (s *stripe) tryLock() bool {
	select {
	case s.turn <- struct{}{}:
	default:
		return false
	}
	if locked, _ := s.tryFile(); locked {
		return true
	}
	<-s.turn
	return false
}

func (s *stripe) tryFile() (bool, error) {
	if s.file == nil {
		if err := s.open(); err != nil {
			return false, err
		}
	}
	locked, err := lockFile(s.file, true)
	if !locked {
		return false, err
	}
	// Somebody who cleans up by hand may have removed the file, or moved the directory away:
	// then others lock another one.
	found, err := identify(s.path)
	if err == nil && found == s.inode {
		return true, nil
	}
	_ = s.file.Close()
	s.file = nil
	if errors.Is(err, fs.ErrNotExist) {
		err = nil // the next try makes it
	}
	return false, err
}

func (s *stripe) open() error {
	f, err := os.OpenFile(s.path, os.O_RDWR|openFlags, 0)
	if os.IsNotExist(err) {
		f, err = s.disk.create(s.path, s.disk.writerMode())
		if os.IsExist(err) {
			f, err = os.OpenFile(s.path, os.O_RDWR|openFlags, 0)
		}
	}
	if err != nil {
		return err
	}
	if s.inode, err = identifyOpen(f); err != nil {
		_ = f.Close()
		return err
	}
	s.file = f
	return nil
}

func (s *stripe) unlock() {
	// An error leaves the lock with a descriptor that nobody uses again.
	if err := unlockFile(s.file); err != nil {
		_ = s.file.Close()
		s.file = nil
	}
	<-s.turn
}

// close ends the stripe once nobody has it. A process that is stopped inside makes
// others give up at their context, so the turn always comes.
func (s *stripe) close() {
	s.turn <- struct{}{}
	if s.file != nil {
		_ = s.file.Close()
		s.file = nil
	}
	<-s.turn
}

func (s *stripe) stuck(ctx context.Context) error {
	who := "another process"
	if pid := lockHolder(s.path); pid > 0 {
		who = fmt.Sprintf("process %d", pid)
	}
	return fmt.Errorf("%w: the lock file %s was held by %s; newcomers to its lines cannot get past it: %w",
		driver.ErrUnavailable, s.path, who, context.Cause(ctx))
}
