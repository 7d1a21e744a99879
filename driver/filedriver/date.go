package filedriver

import (
	"os"
	"time"
)

// date tells whether a directory has changed since.
type date struct {
	modified, seen time.Time
}

// coarse is more than the step of the clock that file systems date their files by: a
// change that soon after another one may not move the date.
const coarse = 50 * time.Millisecond

// dateOf takes the date of a directory. It is taken before the directory is read.
func dateOf(dir string) date {
	info, err := os.Lstat(dir)
	if err != nil {
		return date{}
	}
	return date{modified: info.ModTime(), seen: time.Now()}
}

// same reports whether the directory is certainly as it was when the date was taken.
func (d date) same(dir string) bool {
	if d.seen.Sub(d.modified) < coarse {
		return false
	}
	info, err := os.Lstat(dir)
	return err == nil && info.ModTime().Equal(d.modified)
}
