package filedriver

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"maps"
	"reflect"
	"slices"
	"syscall"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Watch yields the lines that the query matches, and then those that changed.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		if err := q.Check(); err != nil {
			yield(driver.Snapshot{}, err)
			return
		}
		w := d.newWatch(q)
		defer w.close()
		snap, err := w.call(ctx, w.first)
		for yield(snap, err) && err == nil && !q.Once {
			snap, err = w.call(ctx, w.next)
		}
	}
}

// watch is one sequence of snapshots.
type watch struct {
	d    *Driver
	q    driver.Query
	news *news
	// lines are those that were told last, by directory.
	lines map[string]driver.Line
	// vigils are for the ends of the sessions in those lines: nobody else may be there to
	// remove their places.
	vigils map[string]*vigil
	// dates are of directories whose changes nobody tells.
	dates map[string]date
	// at is the directory of the lines that is watched.
	at inode
}

func (d *Driver) newWatch(q driver.Query) *watch {
	var only string
	if !q.Prefix {
		only, _ = escape(q.Name)
	}
	return &watch{
		d: d, q: q, news: newNews(only), lines: map[string]driver.Line{},
		vigils: map[string]*vigil{}, dates: map[string]date{},
	}
}

// call runs one step as a call of the driver, which is not under way while the caller
// looks at a snapshot.
func (w *watch) call(ctx context.Context, step func(*call) (driver.Snapshot, error)) (driver.Snapshot, error) {
	k, err := w.d.calls.begin(ctx)
	if err != nil {
		return driver.Snapshot{}, err
	}
	defer k.done()
	snap, err := step(k)
	if err != nil {
		return driver.Snapshot{}, translate(err)
	}
	return snap, nil
}

// first reads everything. What changes meanwhile is told: each directory is observed
// before it is read.
func (w *watch) first(k *call) (driver.Snapshot, error) {
	var err error
	if w.at, err = identify(w.d.root.linesDir()); err != nil {
		return driver.Snapshot{}, err
	}
	w.observe(w.d.root.linesDir())
	return w.readAll(k)
}

func (w *watch) readAll(k *call) (driver.Snapshot, error) {
	dirs := []string{w.news.only}
	if w.q.Prefix {
		var err error
		if dirs, err = w.d.root.names(w.d.root.linesDir()); err != nil {
			return driver.Snapshot{}, err
		}
	}
	clear(w.lines)
	_, err := w.read(k, slices.Values(dirs))
	snap := driver.Snapshot{Full: true, Lines: slices.Collect(maps.Values(w.lines))}
	sortLines(snap.Lines)
	return snap, err
}

// next waits until a line is not as it was told last.
func (w *watch) next(k *call) (driver.Snapshot, error) {
	for {
		if err := w.await(k); err != nil {
			return driver.Snapshot{}, err
		}
		dirs, all := w.news.take()
		if all {
			return w.readAll(k)
		}
		w.addEnded(dirs)
		changed, err := w.read(k, maps.Keys(dirs))
		if err != nil || len(changed) > 0 {
			sortLines(changed)
			return driver.Snapshot{Lines: changed}, err
		}
	}
}

// await returns when there are news. Where nobody tells of changes, it looks.
func (w *watch) await(k *call) error {
	pause := firstGlance
	glance := time.NewTimer(pause)
	defer glance.Stop()
	for news := false; !news; {
		var late <-chan time.Time
		if len(w.dates) > 0 {
			late = time.After(doubt)
		}
		select {
		case <-k.Done():
			return cancelled(k)
		case <-w.news.wake:
			news = true
		case <-late:
			w.lookForNews()
		case <-glance.C:
			pause = min(glanceFactor*pause, lastGlance)
			glance.Reset(pause)
		}
		if err := w.stands(); err != nil {
			return err
		}
	}
	return nil
}

// stands reports an error when the directory that is watched was removed or moved away by hand:
// what happens in one that is made in its place would not be told.
func (w *watch) stands() error {
	dir := w.d.root.linesDir()
	found, err := identify(dir)
	if err == nil && found != w.at {
		err = fmt.Errorf("%w: %s was replaced by another directory", driver.ErrUnavailable, dir)
	}
	return err
}

// read reads lines, and returns those that are not as they were told last.
func (w *watch) read(k *call, dirs iter.Seq[string]) ([]driver.Line, error) {
	var changed []driver.Line
	for dir := range dirs {
		line, err := w.readOne(k, dir)
		if err != nil {
			return nil, err
		}
		if line.Name == "" || reflect.DeepEqual(line, w.lines[dir]) {
			continue
		}
		if _, known := w.lines[dir]; !known && len(line.Places) == 0 {
			continue
		}
		if w.lines[dir] = line; len(line.Places) == 0 {
			delete(w.lines, dir)
		}
		changed = append(changed, line)
	}
	w.keepVigils()
	return changed, nil
}

// readOne reads the line that has a directory, if the query matches it.
func (w *watch) readOne(k *call, dir string) (driver.Line, error) {
	// The name of one that is hashed lies in it, and comes after the directory does.
	if name, ok := w.name(dir); ok && !w.q.Matches(name) || !ok && !isHashed(dir) {
		return driver.Line{}, nil
	}
	w.observe(w.d.lineDir(dir))
	name, ok := w.name(dir)
	if !ok || !w.q.Matches(name) {
		return driver.Line{}, nil
	}
	line, err := w.d.line(name).show(k)
	if w.q.Prefix && errors.Is(err, syscall.ENOTDIR) {
		return driver.Line{}, nil // a file, or a link: not ours, and no reason not to tell of the others
	}
	return line, err
}

// name returns the name of the line that has a directory.
func (w *watch) name(dir string) (string, bool) {
	if dir == w.news.only {
		return w.q.Name, true
	}
	if line, known := w.lines[dir]; known {
		return line.Name, true
	}
	return w.d.lineName(dir)
}

func sortLines(lines []driver.Line) {
	slices.SortFunc(lines, func(a, b driver.Line) int {
		switch {
		case a.Name < b.Name:
			return -1
		case a.Name > b.Name:
			return 1
		}
		return 0
	})
}

func (w *watch) close() {
	w.d.observer.forget(w.news)
	for _, v := range w.vigils {
		v.close()
	}
}
