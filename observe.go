package holdgate

import (
	"context"
	"fmt"
	"iter"

	"github.com/holdgate/holdgate/driver"
)

// Query says what to watch: the line of that name or, with Prefix, all whose name
// begins with it. Query{Prefix: true} is all there are.
type Query struct {
	Name   string
	Prefix bool
}

// Snapshot is what a watch yields: lines that changed, each one whole. A line in
// which nobody stands any more has no places.
type Snapshot struct {
	Lines []Line
	// Full says that there are no other lines that match. The first snapshot is full.
	Full bool
}

// Line returns who stands in the line of this name, up to date. A name that nobody
// uses is a line without places.
func (c *Client) Line(ctx context.Context, name string) (Line, error) {
	if err := checkName(name); err != nil {
		return Line{}, err
	}
	l, err := c.line(ctx, name)
	if err != nil {
		return Line{}, fmt.Errorf("line %q: %w", name, err)
	}
	return newLine(l), nil
}

// line reads a line. A store that does not answer is ErrUnavailable after a while.
func (c *Client) line(ctx context.Context, name string) (driver.Line, error) {
	attempt, stop := c.within(ctx, attemptTime(c.opts.TTL))
	defer stop()
	l, err := c.drv.Line(attempt, name)
	if err != nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return l, err
}

// Lines returns all lines whose name begins with prefix, sorted by name.
func (c *Client) Lines(ctx context.Context, prefix string) ([]Line, error) {
	for s, err := range c.watch(ctx, driver.Query{Name: prefix, Prefix: true, Once: true}) {
		if err != nil {
			return nil, fmt.Errorf("lines %q: %w", prefix, err)
		}
		return s.Lines, nil
	}
	return nil, fmt.Errorf("lines %q: %w", prefix, ErrUnavailable)
}

// Watch yields the lines that the query matches, then those that changed, whenever
// they changed. Changes may be merged, the last one is never withheld. An error,
// also the end of ctx, ends the sequence; a caller that wants to go on watches again,
// and gets a full snapshot first.
func (c *Client) Watch(ctx context.Context, q Query) iter.Seq2[Snapshot, error] {
	return c.watch(ctx, driver.Query{Name: q.Name, Prefix: q.Prefix})
}

func (c *Client) watch(ctx context.Context, q driver.Query) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		if !q.Prefix || q.Name != "" {
			if err := checkName(q.Name); err != nil {
				yield(Snapshot{}, err)
				return
			}
		}
		for s, err := range c.drv.Watch(ctx, q) {
			if ctx.Err() != nil {
				err = context.Cause(ctx) // whatever the store makes of it
			}
			if err != nil {
				yield(Snapshot{}, fmt.Errorf("watch %q: %w", q.Name, err))
				return
			}
			snapshot := Snapshot{Full: s.Full, Lines: make([]Line, 0, len(s.Lines))}
			for _, l := range s.Lines {
				snapshot.Lines = append(snapshot.Lines, newLine(l))
			}
			if !yield(snapshot, nil) {
				return
			}
		}
	}
}
