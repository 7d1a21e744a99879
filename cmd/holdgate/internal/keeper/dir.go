package keeper

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// maxSocket is how long the path of a socket may be everywhere: 104 bytes with the NUL on
// macOS, 108 on Linux.
const maxSocket = 103

// makeDir returns the first directory for sockets that can be used.
func makeDir() (string, error) {
	var failed error
	for _, dir := range dirs() {
		if len(filepath.Join(dir, newID())) > maxSocket {
			failed = errors.Join(failed, fmt.Errorf("directory %s: its name is too long for a socket in it", dir))
			continue
		}
		err := makePrivate(dir)
		if err == nil {
			return dir, nil
		}
		failed = errors.Join(failed, err)
	}
	return "", failed
}

// dirs are where sockets may lie: where the system keeps what belongs to a session, or else
// in the user's home. The variable may be a leftover of another user (su), or name
// what is not there (cron).
func dirs() []string {
	var dirs []string
	if runtime := os.Getenv("XDG_RUNTIME_DIR"); filepath.IsAbs(runtime) {
		dirs = append(dirs, filepath.Join(runtime, "holdgate"))
	}
	if state := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(state) {
		dirs = append(dirs, filepath.Join(state, "holdgate", "handles"))
	} else if home, err := os.UserHomeDir(); err == nil {
		dirs = append(dirs, filepath.Join(home, ".local", "state", "holdgate", "handles"))
	}
	return dirs
}

// makePrivate makes the directory if need be, and refuses one that others can enter: who
// can connect to a socket can release the lock.
func makePrivate(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 || !owned(info) {
		return fmt.Errorf("directory %s: it is to be this user's own, with mode 0700, not %v", dir, info.Mode())
	}
	return nil
}
