package etcddriver

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"slices"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// WatchKV yields the entries that the query matches, and then those that changed.
func (d *Driver) WatchKV(ctx context.Context, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
	keys := d.layout.entries(q.Name)
	if !q.Prefix {
		keys = one(d.layout.entry(q.Name))
	}
	return follow(ctx, d, q, keys, func() (model, shower[driver.KVSnapshot]) {
		es := &entries{layout: d.layout}
		return es, es.show
	})
}

// entries is the model of a view of driver.KV.
type entries struct {
	layout layout
	byName map[string]*mvccpb.KeyValue
}

func (es *entries) reset(kvs []*mvccpb.KeyValue) {
	es.byName = make(map[string]*mvccpb.KeyValue)
	for _, kv := range kvs {
		if name, ok := es.layout.parseEntry(string(kv.Key)); ok {
			es.byName[name] = kv
		}
	}
}

func (es *entries) apply(e *mvccpb.Event) string {
	name, ok := es.layout.parseEntry(string(e.Kv.Key))
	switch {
	case !ok:
		return ""
	case e.Type == mvccpb.Event_PUT:
		es.byName[name] = e.Kv
	default:
		delete(es.byName, name)
	}
	return name
}

// show makes a snapshot of these entries or, with nil, of all.
func (es *entries) show(names map[string]struct{}) driver.KVSnapshot {
	s := driver.KVSnapshot{Full: names == nil}
	sorted := slices.Sorted(maps.Keys(names))
	if s.Full {
		sorted = slices.Sorted(maps.Keys(es.byName))
	}
	for _, name := range sorted {
		kv := es.byName[name]
		if kv == nil {
			s.Deleted = append(s.Deleted, name)
			continue
		}
		e := entry(name, kv)
		e.Value = bytes.Clone(e.Value) // the model keeps its own
		s.Entries = append(s.Entries, e)
	}
	return s
}
