package etcddriver

import (
	"cmp"
	"slices"
	"strings"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// lineup is a line as its keys show it, in order. Of each place only the header of its
// record is read until somebody wants to see all of it.
type lineup struct {
	name   string
	prefix string // what its keys begin with
	// places and kvs are side by side, in the order of create revisions.
	places []driver.Place
	kvs    []*mvccpb.KeyValue
	marks  map[string]*mvccpb.KeyValue // by the ID of the place
}

// newLineup makes a line of its keys, which it sorts.
func newLineup(name, prefix string, kvs []*mvccpb.KeyValue) *lineup {
	l := &lineup{name: name, prefix: prefix}
	slices.SortFunc(kvs, func(a, b *mvccpb.KeyValue) int { return cmp.Compare(a.CreateRevision, b.CreateRevision) })
	for _, kv := range kvs {
		l.add(kv)
	}
	return l
}

// put takes in a key that was created or changed.
func (l *lineup) put(kv *mvccpb.KeyValue) {
	if i := l.at(string(kv.Key)); i >= 0 {
		if l.kvs[i].CreateRevision == kv.CreateRevision {
			l.places[i], l.kvs[i] = placeOf(l.name, l.prefix, kv), kv
			return
		}
		l.take(i) // gone, and another one stands at its key
	}
	l.add(kv)
}

// add takes in a key that was not there.
func (l *lineup) add(kv *mvccpb.KeyValue) {
	if placeID, ok := isMark(string(kv.Value)); ok {
		if l.marks == nil {
			l.marks = make(map[string]*mvccpb.KeyValue)
		}
		l.marks[placeID] = kv
		return
	}
	i := l.end(kv)
	l.places = slices.Insert(l.places, i, placeOf(l.name, l.prefix, kv))
	l.kvs = slices.Insert(l.kvs, i, kv)
}

// end is the position of a new place: behind all that were created before it.
func (l *lineup) end(kv *mvccpb.KeyValue) int {
	n := len(l.kvs)
	// Only other software creates two keys of one line in one transaction.
	for n > 0 && cmp.Or(cmp.Compare(l.kvs[n-1].CreateRevision, kv.CreateRevision),
		strings.Compare(string(l.kvs[n-1].Key), string(kv.Key))) > 0 {
		n--
	}
	return n
}

// remove takes out a key that was deleted.
func (l *lineup) remove(key string) {
	if i := l.at(key); i >= 0 {
		l.take(i)
		return
	}
	for placeID, kv := range l.marks {
		if string(kv.Key) == key {
			delete(l.marks, placeID)
		}
	}
}

func (l *lineup) take(i int) {
	l.places = slices.Delete(l.places, i, i+1)
	l.kvs = slices.Delete(l.kvs, i, i+1)
}

// at returns the index of the place with this key, or -1.
func (l *lineup) at(key string) int {
	return slices.IndexFunc(l.kvs, func(kv *mvccpb.KeyValue) bool { return string(kv.Key) == key })
}

// find returns the index of the place with this ID, or -1.
func (l *lineup) find(id string) int {
	return slices.IndexFunc(l.places, func(p driver.Place) bool { return p.ID == id })
}

// own returns the index of a place that lives by this lease, or -1.
func (l *lineup) own(id string, lease int64) int {
	if i := l.find(id); i >= 0 && l.kvs[i].Lease == lease && !l.places[i].Foreign {
		return i
	}
	return -1
}

// placeOf reads what a place is from its key and the header of its record. What is no
// place of ours is of other software, and takes the whole line. Its ID is the end of
// its key.
func placeOf(line, prefix string, kv *mvccpb.KeyValue) driver.Place {
	p := driver.Place{
		Line:  line,
		Order: uint64(kv.CreateRevision), Version: uint64(kv.ModRevision),
	}
	if kv.Lease != 0 {
		p.Session = leaseText(kv.Lease)
	}
	h, units, ok := parsePlace(string(kv.Value))
	if !ok {
		// In the layout "single" nothing is behind the prefix.
		p.ID, p.Foreign = cmp.Or(string(kv.Key[len(prefix):]), p.Session, "(no lease)"), true
		return p
	}
	p.ID, p.Kind, p.Capacity, p.Units = h.id, h.kind, h.capacity, units
	return p
}

func (l *lineup) granted(i int) bool { return driver.Fits(l.places[:i], l.places[i]) }

// use is what the line is used for: what its first native place says. It reports
// false when there is none.
func (l *lineup) use(except string) (use, bool) {
	for _, p := range l.places {
		if !p.Foreign && p.ID != except {
			return use{p.Kind, p.Capacity}, true
		}
	}
	return use{}, false
}

// place returns a place with all that is known of it.
func (l *lineup) place(i int) driver.Place {
	p := l.places[i]
	p.Granted = l.granted(i)
	if p.Foreign {
		return p
	}
	// A header of ours before something else: show what can be shown. It counts by its
	// header all the same.
	_ = fill(&p, string(l.kvs[i].Value))
	if kv := l.marks[p.ID]; kv != nil {
		n := parseMark(string(kv.Value))
		p.Eviction = &driver.Eviction{Line: l.name, PlaceID: p.ID, Reason: n.Reason, By: n.By}
	}
	return p
}

// line returns the whole line.
func (l *lineup) line() driver.Line {
	line := driver.Line{Name: l.name}
	if len(l.places) > 0 {
		line.Places = make([]driver.Place, len(l.places))
		for i := range l.places {
			line.Places[i] = l.place(i)
		}
	}
	return line
}

// busy is the answer to a try that the line is in the way of.
func (l *lineup) busy() error {
	return &driver.BusyError{Head: l.place(0), Ahead: len(l.places)}
}
