package zkdriver

import "github.com/go-zookeeper/zk"

// watchNode watches a node for a change of its data, and for its end. It answers
// zk.ErrNoNode when there is none. Where it is watched already nothing is asked: the watch
// would have fired.
func (c *conn) watchNode(path string) (*watch, error) {
	at := spot{path, false}
	w, armed := c.watches.join(at)
	defer c.watches.part(at, w)
	if armed {
		return w, nil
	}
	_, stat, _, err := c.zk.GetW(path)
	if err != nil {
		return nil, read(err)
	}
	c.watches.arm(w, stat)
	return w, nil
}

// watchChildren reads the names below a node, and watches them.
func (c *conn) watchChildren(path string) ([]string, *watch, error) {
	at := spot{path, true}
	w, armed := c.watches.join(at)
	defer c.watches.part(at, w)
	if armed {
		names, _, err := c.zk.Children(path)
		return names, w, read(err)
	}
	names, stat, _, err := c.zk.ChildrenW(path)
	if err != nil {
		return nil, nil, read(err)
	}
	c.watches.arm(w, stat)
	return names, w, nil
}

// watchLine reads the names of a line's nodes, and watches them. There is no watch on a
// line that does not exist.
func (c *conn) watchLine(name string) (*lineup, *watch, error) {
	path := c.d.layout.line(name)
	names, w, err := c.watchChildren(path)
	if err != nil && !oneOf(err, zk.ErrNoNode) {
		return nil, nil, err
	}
	if err != nil {
		w = nil
	}
	return c.d.layout.lineup(name, path, names), w, nil
}
