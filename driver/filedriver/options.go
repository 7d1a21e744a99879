package filedriver

import (
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"strconv"

	"github.com/holdgate/holdgate/driver"
)

// Shared is the mode of a directory that all members of its group use.
const Shared = os.ModeSetgid | 0o770

// Options change how Open works. The zero value is the default.
type Options struct {
	// Mode is that of the directory, should Open have to make it: 0700 when 0, so
	// that it is the user's own. [Shared] lets the directory's group in. A directory
	// that is there already keeps its mode, and it is an error when that lets in fewer
	// than Mode.
	//
	// Whatever Open makes inside, it makes with the mode that the directory has.
	Mode os.FileMode
}

const defaultMode os.FileMode = 0o700

func (o *Options) mode() (os.FileMode, error) {
	if o == nil || o.Mode == 0 {
		return defaultMode, nil
	}
	if o.Mode&^(os.ModeSetgid|0o777) != 0 || o.Mode&0o700 != 0o700 {
		return 0, fmt.Errorf("%w: Options.Mode is a directory's mode of 0700 or more, with setgid or without, not %v",
			driver.ErrInvalid, o.Mode)
	}
	return o.Mode, nil
}

// DefaultDir is the directory of this user: $XDG_STATE_HOME/holdgate/locks, or
// ~/.local/state/holdgate/locks; on macOS and Windows, where the system keeps such
// things.
func DefaultDir() (string, error) {
	if dir := os.Getenv("XDG_STATE_HOME"); filepath.IsAbs(dir) { // the specification has relative ones ignored
		return filepath.Join(dir, "holdgate", "locks"), nil
	}
	switch runtime.GOOS {
	case "darwin", "windows":
		dir, err := os.UserConfigDir()
		if err != nil {
			return "", fmt.Errorf("default directory for locks: %w", err)
		}
		return filepath.Join(dir, "holdgate", "locks"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("default directory for locks: %w", err)
	}
	return filepath.Join(home, ".local", "state", "holdgate", "locks"), nil
}

// OpenURL opens the directory that a URL names: file:///var/lock/holdgate, or file:
// alone for [DefaultDir]. The parameter mode is that of [Options]: "shared", or an octal
// number.
func OpenURL(u *url.URL) (*Driver, error) {
	if u.Scheme != "file" || u.User != nil || u.Opaque != "" || u.Fragment != "" ||
		u.Host != "" && u.Host != "localhost" {
		return nil, badURL(u, "it is file: or file:///absolute/path")
	}
	o := &Options{}
	for key, values := range u.Query() {
		if key != "mode" || len(values) != 1 {
			return nil, badURL(u, "its one parameter is mode")
		}
		mode, err := parseMode(values[0])
		if err != nil {
			return nil, badURL(u, "a mode is shared, or octal such as 0750")
		}
		o.Mode = mode
	}
	dir := filepath.FromSlash(u.Path)
	if u.Path == "" {
		var err error
		if dir, err = DefaultDir(); err != nil {
			return nil, err
		}
	}
	return Open(dir, o)
}

func badURL(u *url.URL, want string) error {
	return fmt.Errorf("%w: store URL %q: %s", driver.ErrInvalid, u.Redacted(), want)
}

func parseMode(s string) (os.FileMode, error) {
	if s == "shared" {
		return Shared, nil
	}
	const setgid = 0o2000
	bits, err := strconv.ParseUint(s, 8, 12)
	if err != nil || bits&^(setgid|0o777) != 0 || bits == 0 {
		return 0, strconv.ErrSyntax
	}
	mode := os.FileMode(bits & 0o777)
	if bits&setgid != 0 {
		mode |= os.ModeSetgid
	}
	return mode, nil
}
