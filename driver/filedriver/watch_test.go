//go:build unix

package filedriver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// TestWatch sees changes of other processes: told by the system, and where that tells
// nothing, by looking.
func TestWatch(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name    string
		prepare func(*Driver)
	}{
		{"told", func(*Driver) {}},
		{"looking", func(d *Driver) { d.observer.close() }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			n := newNeighbour(t)
			watching := openDriver(t, n.dir)
			c.prepare(watching)
			long := "app/" + strings.Repeat("Z", 300) // whose name lies in the directory
			for _, q := range []driver.Query{{Name: "app/", Prefix: true}, {Name: long}} {
				w := newWatcher(t, watching, q)
				if snap := w.next(); !snap.Full || len(snap.Lines) != 0 {
					t.Fatalf("the first snapshot: %+v, want a full one with nothing", snap)
				}
				other := n.startHolder(mutexClaim("other")) // is not to be told
				c := n.startHolder(mutexClaim(long))
				snap := w.next()
				if snap.Full || len(snap.Lines) != 1 || snap.Lines[0].Name != long || len(snap.Lines[0].Places) != 1 {
					t.Fatalf("when a process holds: %+v", snap)
				}
				c.kill()
				if snap = w.next(); len(snap.Lines) != 1 || snap.Lines[0].Name != long || len(snap.Lines[0].Places) != 0 {
					t.Fatalf("when it was killed: %+v, want the line, empty", snap)
				}
				other.kill()
				w.stop()
			}
		})
	}
}

// TestWatchDirectoryGone: a watch of a directory that was removed or moved away ends, and does not
// go on as one that has nothing to tell.
func TestWatchDirectoryGone(t *testing.T) {
	t.Parallel()
	for name, clear := range map[string]func(dir string) error{
		"removed": os.RemoveAll,
		"moved":   func(dir string) error { return os.Rename(dir, dir+".old") },
	} {
		for _, q := range []driver.Query{{Prefix: true}, {Name: "orders"}} {
			for _, told := range []bool{true, false} {
				t.Run(fmt.Sprint(name, q, told), func(t *testing.T) {
					t.Parallel()
					dir := filepath.Join(t.TempDir(), "locks")
					d := openDriver(t, dir)
					if !told {
						d.observer.close()
					}
					w := newWatcher(t, d, q)
					w.next()
					if err := clear(dir); err != nil {
						t.Fatal(err)
					}
					if snap, err, _ := w.pull(); !errors.Is(err, driver.ErrUnavailable) {
						t.Errorf("got %+v, %v, want that the store is unavailable", snap, err)
					}
				})
			}
		}
	}
}

// TestWatchBodyCloses: who looks at a snapshot may close the driver.
func TestWatchBodyCloses(t *testing.T) {
	t.Parallel()
	d := openDriver(t, t.TempDir())
	var last error
	for _, err := range d.Watch(t.Context(), driver.Query{Prefix: true}) {
		if last = err; err == nil {
			if err := d.Close(); err != nil {
				t.Fatal(err)
			}
		}
	}
	if kindOf(last) != driver.ErrClosed.Error() {
		t.Errorf("the watch ended with %v, want that the driver is closed", last)
	}
}

// watcher pulls a watch.
type watcher struct {
	testing.TB
	pull func() (driver.Snapshot, error, bool)
	stop func()
}

func newWatcher(tb testing.TB, d *Driver, q driver.Query) *watcher {
	tb.Helper()
	ctx, cancel := context.WithTimeout(tb.Context(), patience)
	pull, stop := iter.Pull2(d.Watch(ctx, q))
	w := &watcher{TB: tb, pull: pull, stop: func() { stop(); cancel() }}
	tb.Cleanup(w.stop)
	return w
}

func (w *watcher) next() driver.Snapshot {
	w.Helper()
	snap, err, ok := w.pull()
	if err != nil || !ok {
		w.Fatalf("the watch ended: %v", err)
	}
	return snap
}

// TestDate: a directory that changed within the step of the clock may have its old date.
func TestDate(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d := dateOf(dir)
	if d.same(dir) {
		t.Error("a directory that was just made counts as unchanged")
	}
	d.seen = d.modified.Add(time.Second)
	if !d.same(dir) {
		t.Error("a directory that was left alone counts as changed")
	}
	write(t, dir+"/file", "")
	if d.same(dir) {
		t.Error("a directory that was changed does not count as changed")
	}
	if (date{}).same(dir) || d.same(dir+"/none") {
		t.Error("what cannot be told counts as unchanged")
	}
}
