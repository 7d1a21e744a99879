package filedriver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holdgate/holdgate/driver"
)

// openRoot makes the directory what it must be, and refuses what it cannot be.
func openRoot(dir string, o *Options, s seams) (*root, error) {
	mode, err := o.mode()
	if err != nil {
		return nil, err
	}
	if dir == "" {
		return nil, fmt.Errorf("%w: the name of the directory is empty", driver.ErrInvalid)
	}
	if dir, err = filepath.Abs(dir); err != nil {
		return nil, err
	}
	if err := refuseRemote(dir, s); err != nil {
		return nil, err
	}
	r := &root{dir: dir, disk: disk{mode: mode, uid: -1, step: s.step}}
	if err := r.make(mode); err != nil {
		return nil, unusable(dir, err)
	}
	if err := r.adopt(mode, o != nil && o.Mode != 0); err != nil {
		return nil, unusable(dir, err)
	}
	if err := r.layOut(); err != nil {
		return nil, unusable(dir, err)
	}
	return r, nil
}

// refuseRemote refuses a directory that other machines may use too. Where it is not there
// yet, what it would be made in tells.
func refuseRemote(dir string, s seams) error {
	at := dir
	for !exists(at) && filepath.Dir(at) != at {
		at = filepath.Dir(at)
	}
	name, err := s.fileSystem(at)
	if err != nil {
		return unusable(dir, err)
	}
	if name != "" {
		return fmt.Errorf("%w: %s is on a file system of type %s; locks need a directory on a disk of this machine, "+
			"since that one may not tell all who use it", driver.ErrUnsupported, dir, name)
	}
	return nil
}

// make creates the directory if it is not there. Its parents must be, other than
// those of the default one: a name that was mistyped shall not become a directory.
func (r *root) make(mode os.FileMode) error {
	if info, err := os.Stat(r.dir); err == nil {
		if !info.IsDir() {
			return fmt.Errorf("%w: it is not a directory", driver.ErrInvalid)
		}
		return nil
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if own, err := DefaultDir(); err == nil && own == r.dir {
		if err := os.MkdirAll(filepath.Dir(r.dir), defaultMode); err != nil {
			return err
		}
	}
	r.before("mkdir", r.dir)
	err := os.Mkdir(r.dir, mode.Perm())
	switch {
	case errors.Is(err, fs.ErrExist): // by somebody else, meanwhile
		return nil
	case err != nil:
		return err
	}
	f, err := openDir(r.dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r.before("chmod", r.dir)
	return f.Chmod(mode)
}

// adopt takes over the mode and the owner of the directory, for all that is made
// inside.
func (r *root) adopt(want os.FileMode, asked bool) error {
	info, err := os.Stat(r.dir)
	if err != nil {
		return err
	}
	have := info.Mode() & (os.ModeSetgid | 0o777)
	if asked && want&^have != 0 {
		return fmt.Errorf("%w: it has mode %v, which lets in fewer than the %v that was asked for", driver.ErrInvalid, have, want)
	}
	r.mode = have
	if r.shared() && info.Mode()&os.ModeSticky != 0 {
		return fmt.Errorf("%w: it has the sticky bit, so that nobody could remove what another user's process left behind",
			driver.ErrUnsupported)
	}
	r.uid, r.gid = ownerIfRoot(info)
	return nil
}

// unusable is the one error that tells that a directory cannot be used.
func unusable(dir string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		if parent := filepath.Dir(dir); !exists(parent) {
			return fmt.Errorf("%w: directory %s cannot be made: %s does not exist; make that one first, by mkdir -p %s",
				driver.ErrUnavailable, dir, parent, parent)
		}
	}
	return fmt.Errorf("directory %s cannot be used for locks: %w", dir, translate(err))
}
