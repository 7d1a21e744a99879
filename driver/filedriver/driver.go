package filedriver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// Driver is a handle on the lines in one directory. It implements [driver.Driver].
type Driver struct {
	root     *root
	stripes  [stripes]*stripe
	owners   owners
	deaths   deaths
	observer observer
	idle     idleLines
	debts    debts
	buffers  sync.Pool // of *scanBuffer

	// calls are those on the driver itself; sessions have their own.
	calls calls
	// routines are the goroutines of the driver. They are started by calls, and end when
	// life does.
	routines sync.WaitGroup
	life     context.Context //nolint:containedctx // of the driver itself
	die      context.CancelFunc

	mu       sync.Mutex
	sessions map[string]*Session // nil once closed
}

// seams are what a test may put in the place of the operating system.
type seams struct {
	// step is called before every change to the directory.
	step func(change, path string)
	// fileSystem names the type of file system that a directory is on, if it is one
	// that cannot be used.
	fileSystem func(dir string) (unusable string, err error)
}

// Open opens the lines in a directory, and makes the directory if it is not there. It
// answers driver.ErrUnsupported on file systems that other machines may use, and on
// Windows, and driver.ErrDenied where it may not write.
func Open(dir string, o *Options) (*Driver, error) {
	return open(dir, o, seams{fileSystem: unusableFileSystem})
}

func open(dir string, o *Options, s seams) (*Driver, error) {
	if !supported {
		return nil, fmt.Errorf("%w: locks in files are not supported on this operating system yet", driver.ErrUnsupported)
	}
	r, err := openRoot(dir, o, s)
	if err != nil {
		return nil, err
	}
	d := &Driver{root: r, sessions: map[string]*Session{}}
	d.life, d.die = context.WithCancel(context.Background())
	for i := range d.stripes {
		d.stripes[i] = newStripe(filepath.Join(r.stripesDir(), fmt.Sprintf("%02d", i)), &r.disk)
	}
	return d, nil
}

// Features says what files on one machine can and cannot promise.
func (d *Driver) Features() driver.Features {
	return driver.Features{
		Store:   "files",
		Safety:  driver.SafetySingleMachine,
		Layout:  driver.LayoutQueue,
		Tokens:  true,
		Fair:    true,
		Shared:  true,
		KV:      true,
		TryAll:  true,
		Inherit: true,
	}
}

// Close ends the handle. Its sessions end with it, but for those that a child process
// has inherited.
func (d *Driver) Close() error {
	d.mu.Lock()
	open := d.sessions
	d.sessions = nil
	d.mu.Unlock()
	if open == nil {
		return nil
	}
	d.calls.end(driver.ErrClosed)
	d.die()
	var errs []error
	for _, s := range open {
		errs = append(errs, s.abandon())
	}
	d.calls.wait()
	d.routines.Wait()
	d.observer.close()
	d.idle.close(d)
	for _, s := range d.stripes {
		s.close()
	}
	return translate(errors.Join(errs...))
}
