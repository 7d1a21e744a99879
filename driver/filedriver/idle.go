package filedriver

import (
	"errors"
	"io/fs"
	"sync"
	"time"
)

// idleLines are lines whose directory was left bare. Making and removing a directory
// costs more than everything else about a lock, so it is kept for a while, for
// whoever comes next.
type idleLines struct {
	mu    sync.Mutex
	since map[string]time.Time // by name of the line
	timer *time.Timer
}

const (
	keepIdle = 2 * time.Second
	maxIdle  = 256
)

// add has the directory of a line removed after a while, if it is still bare then.
func (i *idleLines) add(l *line) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.since == nil {
		i.since = map[string]time.Time{}
	}
	if _, known := i.since[l.name]; !known && len(i.since) >= maxIdle {
		l.tidy()
		return
	}
	i.since[l.name] = time.Now()
	if i.timer == nil {
		i.timer = time.AfterFunc(keepIdle, func() { i.run(l.d) })
	}
}

// run removes what is due. It is a call of the driver, so that Close waits for it.
func (i *idleLines) run(d *Driver) {
	k, err := d.calls.begin(d.life)
	if err != nil {
		return // Close removes the rest
	}
	defer k.done()
	for _, name := range i.take(time.Now().Add(-keepIdle)) {
		d.line(name).tidy()
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = nil
	if len(i.since) > 0 {
		i.timer = time.AfterFunc(keepIdle, func() { i.run(d) })
	}
}

// take removes and returns the names of lines that are idle since before then.
func (i *idleLines) take(then time.Time) []string {
	i.mu.Lock()
	defer i.mu.Unlock()
	var due []string
	for name, since := range i.since {
		if !since.After(then) {
			due = append(due, name)
			delete(i.since, name)
		}
	}
	return due
}

// close removes all that is bare.
func (i *idleLines) close(d *Driver) {
	for _, name := range i.take(time.Now()) {
		d.line(name).tidy()
	}
}

// tidy removes the directory of the line if it is bare. A newcomer that finds it gone
// makes it again.
func (l *line) tidy() {
	if l.hashed {
		l.tidyHashed()
		return
	}
	_ = l.d.root.rmdir(l.dir) // not bare, or gone already
}

// tidyHashed removes the name first, and so needs the stripe, as places must never lie
// in a directory that does not tell whose they are. When somebody has the stripe, the
// directory stays for the next one.
func (l *line) tidyHashed() {
	if !l.stripe.tryLock() {
		return
	}
	defer l.stripe.unlock()
	v, err := l.scan()
	if err != nil || v.missing || len(v.places) > 0 {
		return
	}
	l.sweepStrays(&v)
	if err := l.d.root.unlink(l.path(nameFile)); err == nil || errors.Is(err, fs.ErrNotExist) {
		_ = l.d.root.rmdir(l.dir)
	}
}
