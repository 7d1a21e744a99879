package etcddriver

import (
	"context"
	"errors"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
)

// view is a range of keys, kept up to date by one watch for all who look at it.
//
// It is read once, after its watch began: every change after the revision that the
// watch began at is told, so that a read of that revision or a later one, and the
// changes after it, are the whole truth. A read that was sent together with the watch
// will do, when its revision is late enough.
//
// All it shows was true at one moment, and moments are shown in order. It may lag behind
// the store; it never shows a key's end before another's that came first. That is
// what a grant may be taken from: one ordered stream which covers the own place too.
type view struct {
	d     *Driver
	keys  keyRange
	model model

	mu       sync.Mutex
	began    chan struct{} // closed when the watch has begun
	from     int64         // the revision at which it did
	early    []*mvccpb.Event
	ready    bool  // the model is filled
	revision int64 // of the model
	err      error // why the view has ended
	lookers  map[looker]struct{}

	ctx context.Context //nolint:containedctx // the view's own lifetime
	end context.CancelFunc

	stream *watchStream
	watch  *watch
}

// model is what a view shows. Its methods are called under the view's mutex.
type model interface {
	// reset begins with these keys.
	reset(kvs []*mvccpb.KeyValue)
	// apply takes in one change, and says what changed by it: "" when nothing did.
	apply(e *mvccpb.Event) (name string)
}

// looker is told, under the view's mutex, that something is new: names that changed or,
// with nil, that the view became ready or ended.
type looker interface {
	told(names map[string]struct{})
}

// loadIn is how long the first read of a view may take.
const loadIn = 5 * time.Second

var (
	errSlow    = errors.New("no answer in time")
	errDropped = errors.New("nobody looks any more")
)

// newView begins to follow a range. It reports false when the handle is closed.
func (d *Driver) newView(keys keyRange, m model) (*view, bool) {
	v := &view{
		d: d, keys: keys, model: m,
		began:   make(chan struct{}),
		lookers: make(map[looker]struct{}),
	}
	v.ctx, v.end = context.WithCancel(d.ctx)
	var ok bool
	if v.stream, v.watch, ok = d.follow(keys, changes, v); !ok {
		return nil, false
	}
	return v, d.task(v.load) // ends with the first read, or with the view
}

// load reads the range, at a moment when the watch had begun.
func (v *view) load() {
	ctx, cancel := context.WithTimeoutCause(v.ctx, loadIn, errSlow)
	defer cancel()
	answer, err := read(ctx, v.d, (*member).Range, rangeOf(v.keys))
	if err == nil {
		select {
		case <-v.began:
			if answer.Header.Revision < v.startedAt() {
				answer, err = read(ctx, v.d, (*member).Range, rangeOf(v.keys))
			}
		case <-ctx.Done():
			err = v.d.explain(ctx, ctx.Err(), effect{}, request{v.stream.m, v.d.now()})
		}
	}
	if err != nil {
		v.broke(err)
		return
	}
	v.fill(answer.Kvs, answer.Header.Revision)
}

func (v *view) startedAt() int64 {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.from
}

// fill begins with what was read, and catches up with what was told meanwhile.
func (v *view) fill(kvs []*mvccpb.KeyValue, revision int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err != nil {
		return
	}
	v.model.reset(kvs)
	v.ready, v.revision = true, revision
	v.applyLocked(v.early)
	v.early = nil
	v.tellLocked(nil)
}

// begun, changed and broke are what the stream tells.
func (v *view) begun(revision int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.from = revision
	close(v.began)
}

func (v *view) changed(events []*mvccpb.Event) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !v.ready {
		v.early = append(v.early, events...)
		return
	}
	if names := v.applyLocked(events); len(names) > 0 {
		v.tellLocked(names)
	}
}

// applyLocked takes in what is newer than the model.
func (v *view) applyLocked(events []*mvccpb.Event) map[string]struct{} {
	names := make(map[string]struct{}, 1)
	base := v.revision
	for _, e := range events {
		if e.Kv.ModRevision <= base {
			continue
		}
		v.revision = e.Kv.ModRevision
		if name := v.model.apply(e); name != "" {
			names[name] = struct{}{}
		}
	}
	return names
}

func (v *view) broke(err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.err == nil {
		v.err = err
		v.end()
		v.tellLocked(nil)
	}
}

func (v *view) tellLocked(names map[string]struct{}) {
	for l := range v.lookers {
		l.told(names)
	}
}

// close stops following.
func (v *view) close() {
	v.broke(errDropped)
	v.stream.drop(v.watch)
}

// join has a looker told from now on.
func (v *view) join(l looker) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.lookers[l] = struct{}{}
}

func (v *view) part(l looker) {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.lookers, l)
}
