//go:build unix

package filedriver

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// TestForeignFiles: files that are not ours are shown and block newcomers in a line's
// directory, are passed over everywhere else, and are never removed without Force.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	strangers := []string{
		"README", "sessions/notes.txt", "sessions/.new-x", "locks/99x", "stage/.keep", "lines/Not A Line", "lines/.DS_Store", "lines/x~y", "lines/notes",
	}
	for _, name := range strangers {
		write(t, filepath.Join(n.dir, name), "theirs")
	}
	holder, err := n.s.Enter(t.Context(), mutexClaim("orders"))
	if err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(n.dir, "lines", "orders", "lock.pid")
	write(t, foreign, "4711\n")
	// File systems date by a coarse clock: to the line it may seem older than the holder.
	later := time.Now().Add(time.Second)
	if err := os.Chtimes(foreign, later, later); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(n.dir, "lines", "orders", ".DS_Store"), "")
	l := n.line("orders")
	if len(l.Places) != 2 || !l.Places[0].Granted || !l.Places[1].Foreign || l.Places[1].ID != "lock.pid" {
		t.Fatalf("behind the holder: %+v, want lock.pid", l.Places)
	}
	n.leave(holder)
	if _, err := n.s.Enter(t.Context(), tryClaim(mutexClaim("orders"))); !errors.Is(err, driver.ErrBusy) {
		t.Errorf("a try: %v, want busy", err)
	}
	waiter := n.queue(mutexClaim("orders"))
	if err := n.d.Evict(t.Context(), "orders", "lock.pid", driver.Eviction{}); !errors.Is(err, driver.ErrUnsupported) {
		t.Errorf("eviction without force: %v, want unsupported", err)
	}
	if err := n.d.Evict(t.Context(), "orders", "lock.pid", driver.Eviction{Force: true}); err != nil {
		t.Errorf("eviction by force: %v", err)
	}
	if got := n.outcome(n.waits[waiter]); got.err != nil || !got.place.Granted {
		t.Errorf("the waiter behind it: %+v, %v", got.place, got.err)
	}
	n.drain()
	for range 20 {
		_ = n.session().Close(t.Context())
	}
	for snap, err := range n.d.Watch(t.Context(), driver.Query{Prefix: true, Once: true}) {
		if err != nil || len(snap.Lines) > 0 {
			t.Errorf("listed: %+v, %v, want nothing", snap.Lines, err)
		}
	}
	for _, name := range strangers {
		if _, err := os.Stat(filepath.Join(n.dir, name)); err != nil {
			t.Errorf("%s was removed: %v", name, err)
		}
	}
}

// TestLongPath: a directory whose path is longer than a socket's may be.
func TestLongPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for range 4 {
		dir = filepath.Join(dir, strings.Repeat("d", 100))
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	n := &neighbour{TB: t, dir: dir, d: openDriver(t, dir), waits: map[string]chan outcome{}}
	n.s = n.session()
	c := startChild(t, "wait", dir)
	c.expect("granted")
	waiter := n.queue(mutexClaim("orders"))
	c.tell("go")
	if got := n.outcome(n.waits[waiter]); got.err != nil || !got.place.Granted {
		t.Errorf("the waiter: %+v, %v", got.place, got.err)
	}
	n.drain()
}

// TestRelativeDirectory: the directory is the one it was when it was opened.
func TestRelativeDirectory(t *testing.T) { // changes the working directory
	dir := t.TempDir()
	t.Chdir(dir)
	d := openDriver(t, "locks")
	t.Chdir(t.TempDir())
	n := &neighbour{TB: t, dir: filepath.Join(dir, "locks"), d: d}
	n.s = n.session()
	n.newcomer("orders")
}

// TestLockFileRemoved: somebody who cleans up by hand removes a lock file while it is
// open. Who locks the old one must not be beside who locks a new one.
func TestLockFileRemoved(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	p, err := n.s.Enter(t.Context(), mutexClaim("orders"))
	if err != nil {
		t.Fatal(err)
	}
	n.leave(p)
	stripe := n.d.stripes[stripeOf("orders")]
	if err := os.Remove(stripe.path); err != nil {
		t.Fatal(err)
	}
	n.newest = p.Order
	n.newcomer("orders") // with an order that grows, by the clock
	if !exists(stripe.path) {
		t.Error("the lock file that was removed is still used")
	}
}

// TestDirectoryMovedAway: somebody moves the directory away, and a new one is made in its place.
// A process that has a lock file of the old one open must not enter beside those that lock the
// new one.
func TestDirectoryMovedAway(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	n.newcomer("orders") // opens the lock file
	if err := os.Rename(n.dir, n.dir+".old"); err != nil {
		t.Fatal(err)
	}
	later := openDriver(t, n.dir)
	busy := later.line("orders").stripe
	if err := busy.lock(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer busy.unlock()
	if own := n.d.line("orders").stripe; own.tryLock() {
		own.unlock()
		t.Error("both have the end of the line at once")
	}
}

// TestManyNames: names that were used leave nothing, and their orders still grow.
func TestManyNames(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	const names = 1000
	orders := map[string]uint64{}
	name := func(i int) string { return strings.Repeat("x", 1+i%400) + "/" + strings.Repeat("Y", i/400) }
	for i := range names {
		p, err := n.s.Enter(t.Context(), mutexClaim(name(i)))
		if err != nil {
			t.Fatal(err)
		}
		n.leave(p)
		orders[name(i)] = p.Order
	}
	for i := range names {
		n.newest = orders[name(i)]
		n.newcomer(name(i))
	}
	n.nothingLeft()
}
