package etcddriver

import (
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// idleFor is how long a line is followed after its last waiter was served: a process
// that takes one lock over and over does not begin anew each time.
const idleFor = 5 * time.Second

// views are the lines that are followed for waiters, one view for all waiters of a line.
type views struct {
	d *Driver

	mu     sync.Mutex
	byName map[string]*lineView
}

func newViews(d *Driver) *views { return &views{d: d, byName: make(map[string]*lineView)} }

// lineView is the view of one line.
type lineView struct {
	*view
	lines *lines
	name  string
	users int
	idle  *time.Timer // closes the view, while it has no users
}

// look returns the view of a line. Whoever looks says when it is done.
func (vs *views) look(name string) (*lineView, error) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	v := vs.byName[name]
	if v == nil || v.ctx.Err() != nil {
		l := &lines{layout: vs.d.layout, only: name}
		followed, ok := vs.d.newView(vs.d.layout.places(name), l)
		if !ok {
			return nil, driver.ErrClosed
		}
		v = &lineView{view: followed, lines: l, name: name}
		vs.byName[name] = v
	}
	if v.idle != nil {
		v.idle.Stop()
		v.idle = nil
	}
	v.users++
	return v, nil
}

// done says that a looker does not look any more.
func (vs *views) done(v *lineView) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if v.users--; v.users == 0 {
		v.idle = time.AfterFunc(idleFor, func() { vs.forget(v) })
	}
}

// outgrown ends the view of a line that nobody looks at, because the line has grown long:
// each of its hand-overs would go on to be told here.
func (vs *views) outgrown(name string) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	if v := vs.byName[name]; v != nil && v.idle != nil {
		v.idle.Stop()
		vs.forgetLocked(v)
	}
}

// forget closes a view that nobody looks at.
func (vs *views) forget(v *lineView) {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	vs.forgetLocked(v)
}

func (vs *views) forgetLocked(v *lineView) {
	if v.users > 0 {
		return
	}
	if vs.byName[v.name] == v {
		delete(vs.byName, v.name)
	}
	v.close()
}

// close forgets all views: the handle is closed, and they have ended with it.
func (vs *views) close() {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	for _, v := range vs.byName {
		if v.idle != nil {
			v.idle.Stop()
		}
	}
	clear(vs.byName)
}

// follows reports whether a line is followed: somebody here waits there, or did lately.
func (vs *views) follows(name string) bool {
	vs.mu.Lock()
	defer vs.mu.Unlock()
	_, ok := vs.byName[name]
	return ok
}
