package zkdriver

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Line returns one line, up to date.
func (d *Driver) Line(ctx context.Context, name string) (driver.Line, error) {
	if err := d.layout.check(name); err != nil {
		return driver.Line{}, err
	}
	l, err := run(ctx, &d.reader, false, func(ctx context.Context) (driver.Line, error) {
		if d.single() {
			return d.singleLine(ctx, name)
		}
		v, err := d.view(ctx, name)
		if err != nil {
			return driver.Line{}, err
		}
		return v.line(), nil
	})
	if err != nil {
		return driver.Line{}, fmt.Errorf("line %q: %w", name, err)
	}
	return l, nil
}

// view reads a line, up to date.
func (d *Driver) view(ctx context.Context, name string) (*view, error) {
	c, err := d.reader.conn(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.barrier(); err != nil {
		return nil, err
	}
	return c.view(func() (*lineup, error) { return c.list(name) })
}

// view is a line with what its nodes say.
type view struct {
	*lineup
	c     *conn
	nodes map[string]seen // by name
}

// view reads a line whole. Its places and their grants are those of one moment, when the
// names were read; what is shown beside them is as old or newer. When a node has gone
// meanwhile the line is another one by now, so the names are read again, and then only
// what is new.
func (c *conn) view(list func() (*lineup, error)) (*view, error) {
	read := make(map[string]seen)
	for {
		l, err := list()
		if err != nil {
			return nil, err
		}
		complete, err := c.lookAll(l, read)
		if err != nil {
			return nil, err
		}
		if complete {
			return &view{lineup: l, c: c, nodes: read}, nil
		}
	}
}

// atOnce is how many nodes are read side by side.
const atOnce = 32

// lookAll reads the nodes of a line that were not read yet. It reports false when one has
// gone.
func (c *conn) lookAll(l *lineup, read map[string]seen) (complete bool, err error) {
	var missing []int
	for i, n := range l.nodes {
		if _, ok := read[n.name]; !ok {
			missing = append(missing, i)
		}
	}
	complete = true
	for some := range slices.Chunk(missing, atOnce) {
		found, errs := c.lookSome(l, some)
		for k, i := range some {
			switch {
			case errs[k] == nil:
				read[l.nodes[i].name] = found[k]
			case oneOf(errs[k], zk.ErrNoNode):
				complete = false
			default:
				return false, errs[k]
			}
		}
	}
	return complete, nil
}

// lookSome reads nodes side by side.
func (c *conn) lookSome(l *lineup, some []int) ([]seen, []error) {
	found, errs := make([]seen, len(some)), make([]error, len(some))
	var readers sync.WaitGroup
	for k, i := range some {
		readers.Go(func() { found[k], errs[k] = c.look(l.of(i)) }) // ends with its request
	}
	readers.Wait()
	return found, errs
}

// place is the place number i, complete.
func (v *view) place(i int) driver.Place {
	p := v.nodes[v.lineup.nodes[i].name].fill(v.places[i])
	p.Granted = v.fits(i)
	return p
}

// line is what callers are shown.
func (v *view) line() driver.Line {
	l := driver.Line{Name: v.name}
	if len(v.places) > 0 {
		l.Places = make([]driver.Place, len(v.places))
	}
	for i := range v.places {
		l.Places[i] = v.place(i)
	}
	return l
}
