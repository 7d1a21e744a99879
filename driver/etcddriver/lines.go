package etcddriver

import (
	"cmp"
	"maps"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// lines is the model of a view of lines: those that have keys, by name.
type lines struct {
	layout layout
	only   string // all keys are of this line, unless it is empty
	byName map[string]*lineup
}

func (ls *lines) reset(kvs []*mvccpb.KeyValue) {
	ls.byName = make(map[string]*lineup)
	// In the order of the lines, each new place goes to the end of its own.
	slices.SortFunc(kvs, func(a, b *mvccpb.KeyValue) int { return cmp.Compare(a.CreateRevision, b.CreateRevision) })
	for _, kv := range kvs {
		if l := ls.of(string(kv.Key)); l != nil {
			l.add(kv)
		}
	}
}

func (ls *lines) apply(e *mvccpb.Event) string {
	key := string(e.Kv.Key)
	if e.Type == mvccpb.Event_PUT {
		l := ls.of(key)
		if l == nil {
			return ""
		}
		l.put(e.Kv)
		return l.name
	}
	l := ls.byName[ls.nameOf(key)]
	if l == nil {
		return ""
	}
	l.remove(key)
	if len(l.places) == 0 && len(l.marks) == 0 {
		delete(ls.byName, l.name)
	}
	return l.name
}

// of is the line that a key is in, nil for a key that is in none.
func (ls *lines) of(key string) *lineup {
	name := ls.nameOf(key)
	if name == "" {
		return nil
	}
	l := ls.byName[name]
	if l == nil {
		l = &lineup{name: name, prefix: ls.layout.line(name)}
		ls.byName[name] = l
	}
	return l
}

// nameOf is the name of a key's line, or empty.
func (ls *lines) nameOf(key string) string {
	if ls.only != "" {
		return ls.only
	}
	name, _ := ls.layout.parse(key)
	return name
}

// all are the lines that have places, sorted by name.
func (ls *lines) all() []driver.Line {
	var all []driver.Line
	for _, name := range slices.Sorted(maps.Keys(ls.byName)) {
		if l := ls.byName[name].line(); len(l.Places) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// some are the lines of these names, also those without places.
func (ls *lines) some(names map[string]struct{}) []driver.Line {
	some := make([]driver.Line, 0, len(names))
	for _, name := range slices.Sorted(maps.Keys(names)) {
		l := driver.Line{Name: name}
		if now := ls.byName[name]; now != nil {
			l = now.line()
		}
		some = append(some, l)
	}
	return some
}
