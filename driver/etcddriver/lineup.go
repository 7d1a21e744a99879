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
		l.put(kv)
	}
	return l
}

// put takes in a key that was created or changed.
func (l *lineup) put(kv *mvccpb.KeyValue) {
	id := string(kv.Key[len(l.prefix):])
	if placeID, ok := markedPlace(id); ok {
		if _, isMark := parseMark(string(kv.Value)); isMark {
			if l.marks == nil {
				l.marks = make(map[string]*mvccpb.KeyValue)
			}
			l.marks[placeID] = kv
			return
		}
	}
	p := header(l.name, id, kv)
	i, found := l.search(p.Order, p.ID)
	if found {
		l.places[i], l.kvs[i] = p, kv
		return
	}
	l.places = slices.Insert(l.places, i, p)
	l.kvs = slices.Insert(l.kvs, i, kv)
}

// remove takes out a key that was deleted.
func (l *lineup) remove(key string) {
	id := key[len(l.prefix):]
	if i := l.find(id); i >= 0 {
		l.places = slices.Delete(l.places, i, i+1)
		l.kvs = slices.Delete(l.kvs, i, i+1)
		return
	}
	if placeID, ok := markedPlace(id); ok {
		delete(l.marks, placeID)
	}
}

// markedPlace tells which place a key would be the mark of.
func markedPlace(id string) (placeID string, ok bool) {
	placeID, ok = strings.CutSuffix(id, markSuffix)
	return placeID, ok && driver.CheckID(placeID) == nil
}

// header reads what a place is from its key and the header of its record. What is no
// place of ours is of other software, and takes the whole line.
func header(line, id string, kv *mvccpb.KeyValue) driver.Place {
	p := driver.Place{
		Line: line, ID: id,
		Order: uint64(kv.CreateRevision), Version: uint64(kv.ModRevision),
	}
	if kv.Lease != 0 {
		p.Session = leaseText(kv.Lease)
	}
	u, units, ok := parsePlace(string(kv.Value))
	if ok && driver.CheckID(id) == nil {
		p.Kind, p.Capacity, p.Units = u.kind, u.capacity, units
	} else {
		p.Foreign = true
	}
	return p
}

// search finds a place by its position.
func (l *lineup) search(order uint64, id string) (int, bool) {
	n := len(l.places)
	if n > 0 && l.places[n-1].Order < order {
		return n, false // a new place goes to the end
	}
	return slices.BinarySearchFunc(l.places, order, func(p driver.Place, order uint64) int {
		// Only other software creates two keys of one line in one transaction.
		return cmp.Or(cmp.Compare(p.Order, order), strings.Compare(p.ID, id))
	})
}

// find returns the index of a place, or -1.
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
	if fill(&p, string(l.kvs[i].Value)) != nil {
		// A header of ours before something else: show what can be shown. It counts by
		// its header all the same.
		return p
	}
	if kv := l.marks[p.ID]; kv != nil {
		n, _ := parseMark(string(kv.Value))
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
