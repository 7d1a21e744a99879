package zkdriver

import (
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// In the layout "single" a lock is one ephemeral node that is there or not:
//
//	<prefix>/<escaped name>    {"id":"...","kind":"mutex","owner":"...","ttl":15000,"version":1}
//
// Much software takes its locks so. There is no line, and nothing beside the node.

// key is what stands at a lock's node.
type key struct {
	place driver.Place
	stat  *zk.Stat
}

// key reads a lock's node. It answers zk.ErrNoNode when there is none, and ErrMismatch when
// that is no lock.
func (c *conn) key(name string) (key, error) {
	data, stat, err := c.zk.Get(c.d.layout.line(name))
	if err != nil {
		return key{}, read(err)
	}
	if stat.EphemeralOwner == 0 {
		return key{}, fmt.Errorf("%w: the node of %q stays when a session ends: a line, or something else, is kept there",
			driver.ErrMismatch, name)
	}
	s := parseRecord(data, stat)
	p := driver.Place{
		Line: name, ID: s.ID, Kind: s.Kind, Capacity: 1, Units: 1,
		Foreign: driver.CheckID(s.ID) != nil, Granted: true,
	}
	if p.Foreign {
		p = driver.Place{Line: name, ID: sessionText(stat.EphemeralOwner), Foreign: true, Granted: true}
	}
	return key{place: s.fill(p), stat: stat}, nil
}

// singleLine is Line: the one who holds, if anybody does.
func (d *Driver) singleLine(ctx context.Context, name string) (driver.Line, error) {
	c, err := d.reader.conn(ctx)
	if err != nil {
		return driver.Line{}, err
	}
	if err := c.barrier(); err != nil {
		return driver.Line{}, err
	}
	l, err := c.holder(name)
	if oneOf(err, zk.ErrNoNode) {
		return driver.Line{Name: name}, nil
	}
	return l, err
}

// holder is the line of a lock's node. It answers zk.ErrNoNode when there is none.
func (c *conn) holder(name string) (driver.Line, error) {
	k, err := c.key(name)
	if err != nil {
		return driver.Line{}, err
	}
	return driver.Line{Name: name, Places: []driver.Place{k.place}}, nil
}

// singleEvict is Evict: a holder has no place for a mark, and goes by force only.
func (d *Driver) singleEvict(ctx context.Context, e driver.Eviction) error {
	c, err := d.reader.conn(ctx)
	if err != nil {
		return err
	}
	if err := c.barrier(); err != nil {
		return err
	}
	k, err := c.key(e.Line)
	switch {
	case oneOf(err, zk.ErrNoNode), err == nil && k.place.ID != e.PlaceID:
		return gone(e.Line, e.PlaceID)
	case err != nil:
		return err
	case !e.Force:
		return fmt.Errorf("%w: a node of its own has no room for a mark: place %q goes by force only", driver.ErrUnsupported, e.PlaceID)
	}
	err = c.zk.Delete(d.layout.line(e.Line), k.stat.Version)
	if oneOf(err, zk.ErrNoNode, zk.ErrBadVersion) {
		return gone(e.Line, e.PlaceID)
	}
	return wrote(err)
}
