package etcddriver

import (
	"context"
	"fmt"
	"iter"

	"github.com/holdgate/holdgate/driver"
)

// Watch yields the lines that the query matches, and then those that changed.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	keys, only := d.layout.named(q.Name), ""
	if !q.Prefix {
		keys, only = d.layout.places(q.Name), q.Name
	}
	return follow(ctx, d, q, keys, func() (model, shower[driver.Snapshot]) {
		ls := &lines{layout: d.layout, only: only}
		return ls, func(names map[string]struct{}) driver.Snapshot {
			if names == nil {
				return driver.Snapshot{Lines: matching(q, ls.all()), Full: true}
			}
			return driver.Snapshot{Lines: matching(q, ls.some(names))}
		}
	})
}

// matching leaves out what does not match: with verbatim names "a/" is a key prefix of
// lines below "a", whose names begin otherwise.
func matching(q driver.Query, all []driver.Line) []driver.Line {
	some := all[:0]
	for _, l := range all {
		if q.Matches(l.Name) {
			some = append(some, l)
		}
	}
	return some
}

// shower shows what a model has for these names, or with nil all of it.
type shower[S any] func(names map[string]struct{}) S

// follow yields what a query matches, as snapshots of type S, and goes on with what
// changed. When the store has forgotten what came next, it begins anew, in full.
func follow[S any](
	ctx context.Context, d *Driver, q driver.Query, keys keyRange, begin func() (model, shower[S]),
) iter.Seq2[S, error] {
	return func(yield func(S, error) bool) {
		var none S
		err := d.mayWatch(ctx, q)
		if err == nil && q.Once {
			var all S
			if all, err = list(ctx, d, keys, begin); err == nil {
				yield(all, nil)
				return
			}
		}
		for err == nil {
			var left bool
			m, show := begin()
			if left, err = followOnce(ctx, d, keys, m, show, yield); left {
				return
			}
			if oneOf(err, errCompacted) {
				err = nil
			}
		}
		yield(none, fmt.Errorf("watch %q: %w", q.Name, err))
	}
}

func (d *Driver) mayWatch(ctx context.Context, q driver.Query) error {
	if err := q.Check(); err != nil {
		return err
	}
	if !q.Prefix {
		if err := d.layout.check(q.Name); err != nil {
			return err
		}
	}
	return d.usable(ctx)
}

// list reads a range once.
func list[S any](ctx context.Context, d *Driver, keys keyRange, begin func() (model, shower[S])) (S, error) {
	m, show := begin()
	answer, err := read(ctx, d, (*member).Range, rangeOf(keys))
	if err != nil {
		var none S
		return none, err
	}
	m.reset(answer.Kvs)
	return show(nil), nil
}

// followOnce follows until the consumer leaves, or the view ends.
func followOnce[S any](
	ctx context.Context, d *Driver, keys keyRange, m model, show shower[S], yield func(S, error) bool,
) (left bool, err error) {
	v, ok := d.newView(keys, m)
	if !ok {
		return false, driver.ErrClosed
	}
	defer v.close()
	f := &follower{wake: make(chan struct{}, 1)}
	v.join(f)
	for first := true; ; {
		snapshot, fresh, err := next(v, f, show, first)
		switch {
		case err != nil:
			return false, err
		case fresh && !yield(snapshot, nil):
			return true, nil
		case fresh:
			first = false
			continue
		}
		select {
		case <-f.wake:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		}
	}
}

// next returns what is to be shown now, if anything is.
func next[S any](v *view, f *follower, show shower[S], first bool) (s S, fresh bool, err error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case v.err != nil:
		return s, false, v.err
	case !v.ready, !first && len(f.news) == 0:
		return s, false, nil
	case first:
		f.news = nil
		return show(nil), true, nil
	}
	news := f.news
	f.news = nil
	return show(news), true, nil
}

// follower gathers what changed until its consumer comes for it.
type follower struct {
	news map[string]struct{} // guarded by the view's mutex
	wake chan struct{}
}

func (f *follower) told(names map[string]struct{}) {
	if f.news == nil {
		f.news = make(map[string]struct{}, len(names))
	}
	for name := range names {
		f.news[name] = struct{}{}
	}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}
