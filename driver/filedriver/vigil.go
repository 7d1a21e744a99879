package filedriver

import (
	"context"
	"sync"
	"time"
)

// deaths are the sessions of other processes whose end somebody here wants to know.
// However many want to know of one, it is watched once.
type deaths struct {
	mu      sync.Mutex
	watched map[string]*watchedSession
}

// watchedSession is one session whose end is waited for, by one goroutine.
type watchedSession struct {
	session string
	stop    context.CancelFunc
	// look ends the wait for the end of the process.
	look   context.CancelFunc
	over   bool
	vigils map[*vigil]struct{}
}

// vigil is one who wants to know.
type vigil struct {
	d     *Driver
	of    *watchedSession
	rouse func()
}

// keepVigil calls rouse once the session is dead. Rouse must not block. The caller is in a
// call, and keeps the vigil or closes it before that ends.
func (d *Driver) keepVigil(session string, rouse func()) *vigil {
	d.deaths.mu.Lock()
	defer d.deaths.mu.Unlock()
	w := d.deaths.watched[session]
	if w == nil {
		ctx, stop := context.WithCancel(d.life)
		process, look := context.WithCancel(ctx)
		w = &watchedSession{session: session, stop: stop, look: look, vigils: map[*vigil]struct{}{}}
		if d.deaths.watched == nil {
			d.deaths.watched = map[string]*watchedSession{}
		}
		d.deaths.watched[session] = w
		// Ends when the last vigil is closed, or the driver; Driver.Close waits for it.
		d.routines.Go(func() { d.awaitEnd(ctx, process, w) })
	}
	v := &vigil{d: d, of: w, rouse: rouse}
	w.vigils[v] = struct{}{}
	if w.over {
		rouse()
	}
	return v
}

// check looks whether the session was abandoned by a process that goes on, or removed by
// an operator. Then the end of that process says nothing, and the session's lock is
// looked at instead.
func (v *vigil) check() {
	if !exists(v.d.root.wakePipe(v.of.session)) || !exists(v.d.root.session(v.of.session)) {
		v.of.look()
	}
}

// check checks all sessions that are watched.
func (d *deaths) check() {
	d.mu.Lock()
	var some []*vigil
	for _, w := range d.watched {
		for v := range w.vigils {
			some = append(some, v)
			break
		}
	}
	d.mu.Unlock()
	for _, v := range some {
		v.check()
	}
}

// ended reports whether the session was found dead.
func (v *vigil) ended() bool {
	v.d.deaths.mu.Lock()
	defer v.d.deaths.mu.Unlock()
	return v.of.over
}

func (v *vigil) close() {
	v.d.deaths.mu.Lock()
	defer v.d.deaths.mu.Unlock()
	delete(v.of.vigils, v)
	if len(v.of.vigils) == 0 {
		v.of.stop()
		if v.d.deaths.watched[v.of.session] == v.of {
			delete(v.d.deaths.watched, v.of.session)
		}
	}
}

// Looking at a session's lock again and again is for where no event tells of its end.
const (
	firstLook = time.Millisecond
	lastLook  = time.Second
)

// awaitEnd returns when the session is dead. The end of its process is an event, but
// it is not the end of the session while a child process has its lock; and where
// there is no such event, only looking helps.
func (d *Driver) awaitEnd(ctx, process context.Context, w *watchedSession) {
	d.awaitExit(process, w.session)
	for pause := firstLook; ; pause = min(2*pause, lastLook) {
		if ctx.Err() != nil {
			return
		}
		if d.state(w.session) == dead {
			break
		}
		if sleep(ctx, pause) != nil {
			return
		}
	}
	d.deaths.mu.Lock()
	defer d.deaths.mu.Unlock()
	w.over = true
	for v := range w.vigils {
		v.rouse()
	}
}

// awaitExit returns when the process of a session has ended, or when there is no way to
// be told.
func (d *Driver) awaitExit(ctx context.Context, session string) {
	if who, err := d.readIdentity(session); err == nil && d.state(session) == alive {
		awaitExit(ctx, who.process)
	}
}
