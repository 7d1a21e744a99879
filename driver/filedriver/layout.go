package filedriver

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// layoutVersion is written in the file VERSION. A program that finds another one
// does not touch the directory.
const layoutVersion = "1\n"

const (
	newPrefix  = ".new-"
	wakeSuffix = ".wake"
)

// root is the directory, and what lies where in it.
type root struct {
	dir string
	disk
}

func (r *root) versionFile() string      { return filepath.Join(r.dir, "VERSION") }
func (r *root) stripesDir() string       { return filepath.Join(r.dir, "locks") }
func (r *root) sessionsDir() string      { return filepath.Join(r.dir, "sessions") }
func (r *root) linesDir() string         { return filepath.Join(r.dir, "lines") }
func (r *root) keysDir() string          { return filepath.Join(r.dir, "keys") }
func (r *root) stageDir() string         { return filepath.Join(r.dir, "stage") }
func (r *root) session(id string) string { return filepath.Join(r.dir, "sessions", id) }

// newSession is where a session's file lies until it is locked.
func (r *root) newSession(id string) string { return r.session(newPrefix + id) }

// wakePipe is the pipe that is written to when places of a session may be granted.
func (r *root) wakePipe(id string) string { return r.session(id + wakeSuffix) }

// layOut makes what is missing inside. It may be ended at any point, and run by many at
// once.
func (r *root) layOut() error {
	if done, err := r.laidOut(); done || err != nil {
		return err
	}
	if err := r.refuseStrangers(); err != nil {
		if done, failed := r.laidOut(); done || failed != nil {
			return failed // somebody else has, meanwhile: that is the stranger
		}
		return err
	}
	for _, dir := range []string{r.stageDir(), r.stripesDir(), r.sessionsDir(), r.linesDir()} {
		if err := r.mkdir(dir, r.dir); err != nil && !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
	// VERSION last: who finds it finds everything.
	return r.put(r.versionFile(), []byte(layoutVersion))
}

// laidOut reports whether all is there.
func (r *root) laidOut() (bool, error) {
	version, err := readFile(r.versionFile())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, nil
	case err != nil:
		return false, err
	case string(version) != layoutVersion:
		return false, fmt.Errorf("%w: it has layout version %q, this program knows %q",
			driver.ErrUnsupported, strings.TrimSpace(string(version)), strings.TrimSpace(layoutVersion))
	}
	return true, nil
}

// refuseStrangers keeps us from moving into a directory that is used for something
// else.
func (r *root) refuseStrangers() error {
	entries, err := os.ReadDir(r.dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		switch name := e.Name(); {
		case name == "stage", name == "locks", name == "sessions", name == "lines", name == "keys", name == "lost+found":
		case strings.HasPrefix(name, "."), len(name) == idDigits && isHex(name):
		default:
			return fmt.Errorf("%w: it is not empty (%s), and not a directory of locks", driver.ErrInvalid, name)
		}
	}
	return nil
}

// names returns the names in a directory.
func (r *root) names(dir string) ([]string, error) {
	const some = 8 << 10 // of names: these directories are short as a rule, and fresh memory is dear
	return readNames(dir, make([]byte, some))
}
