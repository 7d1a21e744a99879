package zkdriver

import (
	"fmt"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// With verbatim names a node may be meant as a line by one and as the way to other lines by
// another. Those who wait in it would take what stands there for places of unknown
// position. So it is one or the other, and whoever comes second is refused.

// lineup reads the names of a line's nodes. With verbatim names what has no sequence is no
// place: it is on the way to other lines.
func (l layout) lineup(name, path string, children []string) *lineup {
	if !l.verbatim {
		return newLineup(name, path, children)
	}
	var below string
	places := make([]string, 0, len(children))
	for _, child := range children {
		if isPlace(child) {
			places = append(places, child)
		} else {
			below = child
		}
	}
	line := newLineup(name, path, places)
	line.below = below
	return line
}

// isPlace reports whether a node is named as ours are, or as places of other software.
func isPlace(node string) bool {
	_, _, place := parsePlace(node)
	_, _, units := parseUnits(node)
	_, foreign := parseForeign(node)
	return place || units || foreign
}

// mayHoldPlaces says why nobody can stand in a line: others are below it.
func (l *lineup) mayHoldPlaces() error {
	if l.below == "" {
		return nil
	}
	return fmt.Errorf("%w: %q is above %q: with verbatim names one of them cannot be a line",
		driver.ErrInvalid, l.name, l.path+"/"+l.below)
}

// mayStandBelow says why no line can be made below a node: that is a line itself, in which
// somebody stands.
func (c *conn) mayStandBelow(path string) error {
	if !c.d.layout.verbatim || path == "" {
		return nil
	}
	children, _, err := c.zk.Children(path)
	switch {
	case oneOf(err, zk.ErrNoNode):
		return nil
	case err != nil:
		return read(err)
	}
	for _, child := range children {
		if isPlace(child) {
			return fmt.Errorf("%w: %q is in use as a lock, so that none can be below it with verbatim names", driver.ErrInvalid, path)
		}
	}
	return nil
}

// parent is the path of the node above, empty for the root.
func parent(path string) string { return path[:strings.LastIndexByte(path, '/')] }
