package filedriver

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// disk makes every change to the directory, one system call each, so that a test can
// end the process before any one of them. Only keys are flushed to the disk: locks
// do not outlive the kernel, so neither need what is written about them.
type disk struct {
	// mode is that of directories, setgid included; files get what it allows.
	mode os.FileMode
	// uid and gid own what is made, when root works in somebody else's directory; else
	// uid is -1.
	uid, gid int
	// step is called before each change. Only tests set it.
	step func(change, path string)
}

func (d *disk) before(change, path string) {
	if d.step != nil {
		d.step(change, path)
	}
}

// fileMode is the mode of a file that others may read and write as they may the
// directory.
func (d *disk) fileMode() os.FileMode { return d.mode & 0o666 }

// writerMode is that of a file for those alone who may change the directory.
func (d *disk) writerMode() os.FileMode {
	w := d.mode & 0o222
	return w | w<<1
}

// shared reports whether anybody but the owner may use the directory.
func (d *disk) shared() bool { return d.mode&0o077 != 0 }

// create makes a new file. Its mode does not depend on the umask.
func (d *disk) create(path string, mode os.FileMode) (*os.File, error) {
	d.before("create", path)
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL|openFlags, mode)
	if err != nil {
		return nil, err
	}
	if err := d.own(f, mode); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// own gives a new file or directory to whom it belongs. It takes the open one and not its
// name: where others write to the directory too, that may be a link to any other file by now.
func (d *disk) own(f *os.File, mode os.FileMode) error {
	if d.uid >= 0 {
		d.before("chown", f.Name())
		if err := f.Chown(d.uid, d.gid); err != nil {
			return err
		}
	}
	if d.shared() {
		d.before("chmod", f.Name())
		return f.Chmod(mode)
	}
	return nil
}

// openDir opens a directory that was just made.
func openDir(path string) (*os.File, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return nil, err
	}
	if err := mustBe(f, fs.ModeDir); err != nil {
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// mustBe refuses what somebody has put in the place of a file of this type.
func mustBe(f *os.File, want fs.FileMode) error {
	info, err := f.Stat()
	if err == nil && info.Mode().Type() != want {
		err = &fs.PathError{Op: "open", Path: f.Name(), Err: fs.ErrInvalid}
	}
	return err
}

// mkdir makes a directory that appears with its mode, also where that takes two steps:
// then under another name first.
func (d *disk) mkdir(path, stage string) error {
	if !d.shared() && d.uid < 0 {
		d.before("mkdir", path)
		return os.Mkdir(path, d.mode.Perm())
	}
	for {
		tmp := filepath.Join(stage, randomHex(idDigits))
		err := d.mkdirAs(tmp, path)
		if errors.Is(err, fs.ErrNotExist) && !exists(tmp) && exists(stage) {
			continue // taken for one that was left behind, and swept
		}
		if err != nil {
			_ = os.Remove(tmp)
		}
		return err
	}
}

func (d *disk) mkdirAs(tmp, path string) error {
	d.before("mkdir", tmp)
	if err := os.Mkdir(tmp, d.mode.Perm()); err != nil {
		return err
	}
	f, err := openDir(tmp)
	if err != nil {
		return err
	}
	err = d.own(f, d.mode)
	_ = f.Close()
	if err != nil {
		return err
	}
	d.before("rename", path)
	return os.Rename(tmp, path)
}

// name gives a file one more name: that of a place, or beside one. Where the file
// system has no hard links, or no more of them, it makes an empty file.
func (d *disk) name(file, path string) error {
	d.before("link", path)
	err := os.Link(file, path)
	switch {
	case err == nil || errors.Is(err, fs.ErrExist):
		return err
	case errors.Is(err, syscall.EMLINK), errors.Is(err, syscall.EPERM), errors.Is(err, errors.ErrUnsupported):
		if !exists(file) {
			return fs.ErrNotExist // as a link would have it
		}
		f, err := d.create(path, d.fileMode())
		if err != nil {
			return err
		}
		return f.Close()
	}
	return err
}

func (d *disk) rename(from, to string) error {
	d.before("rename", to)
	return os.Rename(from, to)
}

// unlink removes a file, and reports fs.ErrNotExist when it is not there.
func (d *disk) unlink(path string) error {
	d.before("unlink", path)
	return unlink(path)
}

// rmdir removes a directory that is empty.
func (d *disk) rmdir(path string) error {
	d.before("rmdir", path)
	return rmdir(path)
}
