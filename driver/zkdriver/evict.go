package zkdriver

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Evict asks a place to go: it reads the line, then acts on the condition that what it has
// seen still holds, and looks again when it does not.
func (d *Driver) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if err := cmp.Or(d.layout.check(line), e.Check()); err != nil {
		return err
	}
	e.Line, e.PlaceID = line, placeID
	_, err := run(ctx, &d.reader, true, func(ctx context.Context) (struct{}, error) {
		if d.single() {
			return struct{}{}, d.singleEvict(ctx, e)
		}
		for {
			v, err := d.view(ctx, line)
			if err != nil {
				return struct{}{}, err
			}
			err = v.evict(e)
			if !oneOf(err, zk.ErrNoNode, zk.ErrBadVersion) || ctx.Err() != nil {
				return struct{}{}, err
			}
		}
	})
	if err != nil {
		return fmt.Errorf("evict from %q: %w", line, err)
	}
	return nil
}

// evict makes one attempt. It answers zk.ErrNoNode or zk.ErrBadVersion when the line was
// another one by then.
func (v *view) evict(e driver.Eviction) error {
	i := v.find(e.PlaceID)
	switch {
	case i < 0:
		return gone(e.Line, e.PlaceID)
	case e.Force:
		return v.c.removePlace(v.lineup, i)
	case v.places[i].Foreign:
		return fmt.Errorf("%w: place %q in line %q is of other software and goes only by force", driver.ErrUnsupported, e.PlaceID, e.Line)
	case !v.fits(i):
		return v.c.removePlace(v.lineup, i, v.waits(i)...)
	}
	return v.mark(i, e)
}

// waits proves, to the step that removes it, that a place is still not granted: enough of
// those ahead stand unchanged that it cannot fit. One is enough for a mutex. Who lowers
// its units writes to its node.
func (v *view) waits(i int) []any {
	p := v.places[i]
	takes := func(n int) int64 {
		if !v.places[n].Matches(p.Kind, p.Capacity) {
			return p.Capacity
		}
		return v.places[n].Units
	}
	ahead := make([]int, i)
	for n := range ahead {
		ahead[n] = n
	}
	slices.SortStableFunc(ahead, func(a, b int) int { return cmp.Compare(takes(b), takes(a)) })
	free := p.Capacity
	var proof []any
	for _, n := range ahead {
		if free < p.Units {
			break
		}
		free -= takes(n)
		proof = append(proof, check(v.of(n), v.nodes[v.lineup.nodes[n].name].stat.Version))
	}
	return proof
}

// mark marks a granted place, where all who look at the line see it, and in the node of its
// session, where its Renew does. A place that was granted stays so as long as it stands.
func (v *view) mark(i int, e driver.Eviction) error {
	at := v.nodes[v.lineup.nodes[i].name]
	if at.Eviction != nil {
		return nil // the first one counts
	}
	after := at.record
	after.Eviction = &notice{Reason: e.Reason, By: e.By}
	ops := []any{set(v.of(i), encode(after), at.stat.Version), set(v.path, nil, anyVersion)}
	owner := v.c.d.layout.session(sessionText(at.stat.EphemeralOwner))
	data, stat, err := v.c.zk.Get(owner)
	switch {
	case err == nil:
		marks := append(decodeMarks(data), mark{Line: e.Line, ID: e.PlaceID})
		ops = append(ops, set(owner, encodeMarks(marks), stat.Version))
	case !oneOf(err, zk.ErrNoNode): // without it the session's next renewal ends it
		return read(err)
	}
	_, err = v.c.zk.Multi(ops...)
	return wrote(err)
}
