package filedriver

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// A file with content is written under a name that nobody reads, locked, and then
// given its name. One of those that is not locked was left behind by somebody who
// was ended, and may be removed.

// put writes a file that appears whole, in place of one that is there.
func (r *root) put(path string, content []byte) error {
	f, err := r.stage(content)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	if err := r.rename(f.Name(), path); err != nil {
		_ = r.unlink(f.Name())
		return err
	}
	return nil
}

// putFlushed is put, and returns when it is on the disk.
func (r *root) putFlushed(path string, content []byte) error {
	f, err := r.stage(content)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r.before("sync", f.Name())
	if err = f.Sync(); err == nil {
		err = r.rename(f.Name(), path)
	}
	if err != nil {
		_ = r.unlink(f.Name())
		return err
	}
	return r.flushDir(filepath.Dir(path))
}

// unlinkFlushed is unlink, and returns when it is on the disk.
func (r *root) unlinkFlushed(path string) error {
	if err := r.unlink(path); err != nil {
		return err
	}
	return r.flushDir(filepath.Dir(path))
}

func (r *root) flushDir(dir string) error {
	f, err := openDir(dir)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	r.before("sync", dir)
	return f.Sync()
}

// putNew writes a file that appears whole: fs.ErrExist when there is one. Of two who put
// it at once, the last one wins, unless a lock keeps them apart.
func (r *root) putNew(path string, content []byte) error {
	if _, err := os.Lstat(path); err == nil {
		return fs.ErrExist
	} else if !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return r.put(path, content)
}

// stage writes content to a new file that has no name yet that anybody reads.
func (r *root) stage(content []byte) (*os.File, error) {
	f, err := r.createLocked(func() string { return filepath.Join(r.stageDir(), randomHex(idDigits)) })
	if err != nil {
		return nil, err
	}
	r.before("write", f.Name())
	if _, err := f.Write(content); err != nil {
		_ = r.unlink(f.Name())
		_ = f.Close()
		return nil, err
	}
	return f, nil
}

// createLocked makes a file and locks it. A sweeper may come in between and take the
// file for one that was left behind: then it makes another.
func (r *root) createLocked(newPath func() string) (*os.File, error) {
	for {
		f, err := r.create(newPath(), r.fileMode())
		if err != nil {
			return nil, err
		}
		r.before("lock", f.Name())
		locked, err := lockFile(f, true)
		if err == nil && locked {
			var n uint64
			if n, err = links(f); err == nil && n > 0 {
				return f, nil
			}
		}
		_ = f.Close()
		if err != nil {
			return nil, err
		}
	}
}

// sweep removes a file that was left behind before it got its name.
func (r *root) sweep(path string) {
	f, err := os.OpenFile(path, os.O_RDONLY|openFlags, 0)
	if err != nil {
		return
	}
	defer func() { _ = f.Close() }()
	if free, err := lockFile(f, false); err != nil || !free {
		return
	}
	if info, err := f.Stat(); err == nil && info.IsDir() {
		_ = r.rmdir(path)
		return
	}
	_ = r.unlink(path)
}

// randomHex returns so many random hexadecimal digits.
func randomHex(digits int) string {
	b := make([]byte, digits/2)
	_, _ = rand.Read(b) // never fails, says its documentation
	return hex.EncodeToString(b)
}
