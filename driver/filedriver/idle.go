package filedriver

import (
	"context"
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
	if i.full(l.name) && l.tidy(tryStripe) {
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.since == nil {
		i.since = map[string]time.Time{}
	}
	i.since[l.name] = time.Now()
	if i.timer == nil {
		i.timer = time.AfterFunc(keepIdle, func() { i.run(l.d) })
	}
}

func (i *idleLines) full(name string) bool {
	i.mu.Lock()
	defer i.mu.Unlock()
	_, known := i.since[name]
	return !known && len(i.since) >= maxIdle
}

// run removes what is due. It is a call of the driver, so that Close waits for it.
func (i *idleLines) run(d *Driver) {
	k, err := d.calls.begin(d.life)
	if err != nil {
		return // Close removes the rest
	}
	defer k.done()
	for _, name := range i.take(time.Now().Add(-keepIdle)) {
		if l := d.line(name); !l.tidy(tryStripe) {
			i.add(l)
		}
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	i.timer = nil
	if len(i.since) > 0 {
		i.timer = time.AfterFunc(keepIdle, func() { i.run(d) })
	}
}

// take removes and returns the names of lines that are idle since then, or longer.
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

// close removes all that is bare. What cannot be locked soon stays.
func (i *idleLines) close(d *Driver) {
	ctx, cancel := context.WithTimeout(context.Background(), patienceAtClose)
	defer cancel()
	for _, name := range i.take(time.Now()) {
		d.line(name).tidy(func(s *stripe) bool { return s.tryLock() || s.lock(ctx) == nil })
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.timer != nil {
		i.timer.Stop()
	}
}

const patienceAtClose = 100 * time.Millisecond

// tidy removes the directory of the line if it is bare. It reports false when it is to be
// tried again. A newcomer that finds the directory gone makes it again.
func (l *line) tidy(lock func(*stripe) bool) bool {
	if l.hashed {
		return l.tidyHashed(lock)
	}
	_ = l.d.root.rmdir(l.dir) // not bare, or gone already
	return true
}

func tryStripe(s *stripe) bool { return s.tryLock() }

// tidyHashed removes the name first, and so needs the stripe, as places must never lie
// in a directory that does not tell whose they are.
func (l *line) tidyHashed(lock func(*stripe) bool) bool {
	if !lock(l.stripe) {
		return false
	}
	defer l.stripe.unlock()
	v, err := l.scan()
	if err != nil || v.missing || len(v.places) > 0 {
		return true
	}
	l.sweepStrays(&v)
	if err := l.d.root.unlink(l.path(nameFile)); err == nil || errors.Is(err, fs.ErrNotExist) {
		_ = l.d.root.rmdir(l.dir)
	}
	return true
}
