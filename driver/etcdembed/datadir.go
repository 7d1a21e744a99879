package etcdembed

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"

	"go.etcd.io/etcd/client/pkg/v3/fileutil"
	"go.etcd.io/etcd/server/v3/storage/datadir"
	"go.etcd.io/etcd/server/v3/storage/wal"
)

// dataDir is a data directory that this process has to itself.
type dataDir struct {
	path string
	lock *fileutil.LockedFile
}

const (
	lockName      = "lock"
	onlyOwner     = 0o700
	otherUsers    = 0o077
	onlyOwnerFile = 0o600
)

// openDir makes the directory if need be, and takes it. etcd alone would wait for the
// other process, without a word.
func openDir(path string) (*dataDir, error) {
	if err := os.MkdirAll(path, onlyOwner); err != nil {
		return nil, invalid("Dir", "%v", err)
	}
	if err := checkMode(path); err != nil {
		return nil, err
	}
	lock, err := fileutil.TryLockFile(filepath.Join(path, lockName), os.O_WRONLY|os.O_CREATE, onlyOwnerFile)
	switch {
	case errors.Is(err, fileutil.ErrLocked):
		return nil, fmt.Errorf("%w: %q", ErrInUse, path)
	case err != nil:
		return nil, fmt.Errorf("data directory: %w", err)
	}
	return &dataDir{path: path, lock: lock}, nil
}

func checkMode(path string) error {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return fmt.Errorf("data directory: %w", err)
	case !info.IsDir():
		return invalid("Dir", "%q is not a directory", path)
	case runtime.GOOS == "windows": // has no modes, and no other users in a user's directories
		return nil
	case info.Mode().Perm()&otherUsers != 0:
		return invalid("Dir", "%q has mode %04o: other users may enter; it has to be 0700", path, info.Mode().Perm())
	}
	return nil
}

// hasMember tells whether a member was started in it before. Its identity and its cluster
// are in there then.
func (d *dataDir) hasMember() bool { return wal.Exist(datadir.ToWALDir(d.path)) }

// close gives the directory to the next.
func (d *dataDir) close() error { return d.lock.Close() }
