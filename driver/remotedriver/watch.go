package remotedriver

import (
	"context"
	"fmt"
	"iter"
	"net/http"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/remotedriver/api"
)

// Watch yields all lines that the query matches, then those that changed.
func (d *Driver) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		if err := q.Check(); err != nil {
			yield(driver.Snapshot{}, err)
			return
		}
		if q.Once {
			yield(d.list(ctx, q))
			return
		}
		follow(ctx, d, api.PathWatch, asked(q, api.QueryName), api.Snapshot.Driver, yield)
	}
}

// asked is a query as the API has it. name is the parameter for a single one.
func asked(q driver.Query, name string) query {
	switch {
	case !q.Prefix:
		return query{name: q.Name}
	case q.Name == "":
		return nil
	}
	return query{api.QueryPrefix: q.Name}
}

// list is the first snapshot of a watch.
func (d *Driver) list(ctx context.Context, q driver.Query) (driver.Snapshot, error) {
	if q.Prefix {
		var all api.Lines
		err := d.do(ctx, request{method: http.MethodGet, path: api.PathLines, query: asked(q, ""), answer: &all})
		if err != nil {
			return driver.Snapshot{}, fmt.Errorf("list lines: %w", err)
		}
		return api.Snapshot{Lines: all.Lines, Full: true}.Driver()
	}
	l, err := d.Line(ctx, q.Name)
	snap := driver.Snapshot{Full: true}
	if len(l.Places) > 0 {
		snap.Lines = []driver.Line{l}
	}
	return snap, err
}

// follow yields what a stream of snapshots tells, until it ends.
func follow[S, D any](ctx context.Context, d *Driver, path string, q query, read func(S) (D, error), yield func(D, error) bool) {
	var none D
	if err := d.usable(ctx); err != nil {
		yield(none, err)
		return
	}
	ctx, end := d.within(ctx)
	defer end()
	s, err := d.open(ctx, path, q)
	if err != nil {
		yield(none, fmt.Errorf("watch: %w", err))
		return
	}
	defer s.close()
	for {
		var snap S
		if err := s.next(&snap); err != nil {
			yield(none, fmt.Errorf("watch: %w", err))
			return
		}
		told, err := read(snap)
		if !yield(told, err) || err != nil {
			return
		}
	}
}
