package zkdriver

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Watch yields the lines that the query matches, and then those that changed. It ends with
// an error when its connection does.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		if err := d.watch(ctx, q, yield); err != nil {
			yield(driver.Snapshot{}, fmt.Errorf("watch %q: %w", q.Name, err))
		}
	}
}

func (d *Driver) watch(ctx context.Context, q driver.Query, yield func(driver.Snapshot, error) bool) error {
	err := q.Check()
	if err == nil && !q.Prefix {
		err = d.layout.check(q.Name)
	}
	if err != nil {
		return err
	}
	w, err := run(ctx, &d.reader, false, func(ctx context.Context) (*lineWatch, error) { return d.watchLines(ctx, q) })
	if err != nil {
		return err
	}
	defer w.end()
	lines, err := run(ctx, &d.reader, false, func(context.Context) ([]driver.Line, error) { return w.first() })
	if err != nil || !yield(driver.Snapshot{Lines: lines, Full: true}, nil) || q.Once {
		return err
	}
	for {
		news, err := w.await(ctx)
		if err != nil {
			return err
		}
		lines, err := run(ctx, &d.reader, false, func(context.Context) ([]driver.Line, error) { return w.next(news) })
		if err != nil || len(lines) > 0 && !yield(driver.Snapshot{Lines: lines}, nil) {
			return err
		}
	}
}

// subscription is the connection that something is watched on, and what is told there.
type subscription struct {
	c      *conn
	broken <-chan struct{}
	*follower
}

// subscribe begins to watch, at a moment at which all is known that was answered before.
func (d *Driver) subscribe(ctx context.Context) (subscription, error) {
	c, err := d.reader.conn(ctx)
	if err != nil {
		return subscription{}, err
	}
	_, broken := c.state()
	if err := c.barrier(); err != nil {
		return subscription{}, err
	}
	return subscription{c: c, broken: broken, follower: newFollower()}, nil
}

func (s *subscription) end() { s.c.watches.unfollow(s.follower) }

// await waits for news.
func (s *subscription) await(ctx context.Context) ([]string, error) {
	select {
	case <-s.wake:
		return s.take(), nil
	case <-s.broken:
	case <-s.c.ctx.Done():
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	if err := s.c.d.closed(); err != nil {
		return nil, err
	}
	return nil, fmt.Errorf("%w: the connection broke", driver.ErrUnavailable)
}

// lineWatch follows the lines of a query.
type lineWatch struct {
	subscription
	q driver.Query
	// known are the lines that are followed, and whether they were shown with places.
	known map[string]bool
}

// everything is the name for news of which lines there are: no line has it.
const everything = ""

func (d *Driver) watchLines(ctx context.Context, q driver.Query) (*lineWatch, error) {
	s, err := d.subscribe(ctx)
	if err != nil {
		return nil, err
	}
	return &lineWatch{subscription: s, q: q, known: make(map[string]bool)}, nil
}

// first returns all lines that have places.
func (w *lineWatch) first() ([]driver.Line, error) {
	names := []string{w.q.Name}
	if w.q.Prefix {
		var err error
		if names, err = w.names(); err != nil {
			return nil, err
		}
	}
	return w.lines(names)
}

// next returns the lines that changed.
func (w *lineWatch) next(news []string) ([]driver.Line, error) {
	if !slices.Contains(news, everything) {
		return w.lines(news)
	}
	names, err := w.names()
	if err != nil {
		return nil, err
	}
	var gone []driver.Line
	for name, shown := range w.known {
		if slices.Contains(names, name) {
			continue
		}
		delete(w.known, name)
		if shown {
			gone = append(gone, driver.Line{Name: name})
		}
	}
	changed := slices.DeleteFunc(names, func(name string) bool {
		_, known := w.known[name]
		return known && !slices.Contains(news, name)
	})
	lines, err := w.lines(changed)
	lines = append(lines, gone...)
	slices.SortFunc(lines, func(a, b driver.Line) int { return strings.Compare(a.Name, b.Name) })
	return lines, err
}

// names are the lines that match, also those nobody stands in, and follows which there are.
func (w *lineWatch) names() ([]string, error) {
	if w.c.d.layout.verbatim {
		return w.tree()
	}
	nodes, err := w.nodes(w.c.d.layout.prefix, everything)
	if err != nil {
		return nil, err
	}
	var names []string
	for _, node := range nodes {
		if name, err := unescape(node); err == nil && w.q.Matches(name) {
			names = append(names, name)
		}
	}
	slices.SortFunc(names, strings.Compare)
	return names, nil
}

// nodes reads the names below a node, and has the follower told by name when they change.
func (w *lineWatch) nodes(path, name string) ([]string, error) {
	if w.q.Once {
		nodes, _, err := w.c.zk.Children(path)
		return nodes, read(err)
	}
	nodes, at, err := w.c.watchChildren(path)
	if err == nil {
		w.c.watches.follow(at, w.follower, name)
	}
	return nodes, err
}

// lines reads lines, and leaves out those that were empty and still are.
func (w *lineWatch) lines(names []string) ([]driver.Line, error) {
	var lines []driver.Line
	for _, name := range names {
		l, err := w.whole(name)
		if err != nil {
			return nil, err
		}
		if len(l.Places) > 0 || w.known[name] {
			lines = append(lines, l)
		}
		w.known[name] = len(l.Places) > 0
	}
	return lines, nil
}

// whole reads a line, and follows it.
func (w *lineWatch) whole(name string) (driver.Line, error) {
	path := w.c.d.layout.line(name)
	for {
		l, err := w.existing(path, name)
		if !oneOf(err, zk.ErrNoNode) {
			return l, err
		}
		if absent, err := w.absent(path, name); absent || err != nil {
			return driver.Line{Name: name}, err
		}
	}
}

// existing reads a line whose node is there. What changes besides names is written to that
// node as well.
func (w *lineWatch) existing(path, name string) (driver.Line, error) {
	if !w.q.Once {
		at, err := w.c.watchNode(path)
		if err != nil {
			return driver.Line{}, err
		}
		w.c.watches.follow(at, w.follower, name)
	}
	if w.c.d.single() {
		l, err := w.c.holder(name)
		if w.q.Prefix && oneOf(err, driver.ErrMismatch) {
			return driver.Line{Name: name}, nil // something else that is kept there
		}
		return l, err
	}
	v, err := w.c.view(func() (*lineup, error) {
		nodes, err := w.nodes(path, name)
		return w.c.d.layout.lineup(name, path, nodes), err
	})
	if err != nil {
		return driver.Line{}, err
	}
	return v.line(), nil
}
