package zkdriver

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// With verbatim names lines stand anywhere below where the names of a query begin. All
// nodes there are visited, and followed, so that a new line is seen.

// tree is names for that.
func (w *lineWatch) tree() ([]string, error) {
	begin := w.c.d.layout.prefix + w.q.Name // may end within the name of a node
	top := begin[:max(0, strings.LastIndexByte(begin, '/'))]
	for {
		names, err := w.walk(top)
		if !oneOf(err, zk.ErrNoNode) {
			slices.SortFunc(names, strings.Compare)
			return names, err
		}
		if absent, err := w.absent(top, everything); absent || err != nil {
			return nil, err
		}
	}
}

// walk finds the lines that match, at a node and below it.
func (w *lineWatch) walk(path string) ([]string, error) {
	name, isName := w.nameOf(path)
	told := everything
	if _, known := w.known[name]; isName && known {
		told = name // its places are its own news
	}
	children, err := w.nodes(cmp.Or(path, "/"), told)
	if err != nil {
		return nil, err
	}
	var names []string
	places := false
	for _, child := range children {
		below, place, err := w.visit(path+"/"+child, child)
		if err != nil {
			return nil, err
		}
		names, places = append(names, below...), places || place
	}
	if places && isName {
		names = append(names, name)
	}
	return names, nil
}

// visit looks at one node: the lines that it is, or is the way to, and whether it is a place.
func (w *lineWatch) visit(path, node string) (names []string, place bool, err error) {
	l := w.c.d.layout
	switch _, _, ours := parsePlace(node); {
	case ours:
		return nil, true, nil
	case path == "/zookeeper" || path == l.sessions() || path == l.entries():
		return nil, false, nil
	}
	stands, stat, err := w.c.zk.Exists(path)
	switch {
	case err != nil:
		return nil, false, read(err)
	case !stands: // gone just now, which is told
		return nil, false, nil
	case stat.EphemeralOwner == 0:
		names, err = w.walk(path)
		if oneOf(err, zk.ErrNoNode) {
			err = nil
		}
		return names, false, err
	case w.c.d.single():
		if name, ok := w.nameOf(path); ok {
			names = []string{name}
		}
		return names, false, nil
	}
	return nil, true, nil
}

// nameOf is the name of the line that a node would be, if the query matches it.
func (w *lineWatch) nameOf(path string) (string, bool) {
	name, ok := strings.CutPrefix(path, w.c.d.layout.prefix)
	return name, ok && driver.CheckName(name) == nil && w.q.Matches(name)
}

// absent follows, by this name, the last node that exists on the way to one that does not.
// It reports false when the next one is there by now.
func (w *lineWatch) absent(path, name string) (bool, error) {
	for {
		above, node := parent(path), path[len(parent(path))+1:]
		nodes, err := w.nodes(cmp.Or(above, "/"), name)
		if !oneOf(err, zk.ErrNoNode) {
			return err == nil && !slices.Contains(nodes, node), err
		}
		path = above
	}
}
