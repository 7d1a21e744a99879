package etcdlog

import (
	"slices"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/chaos/witness"
)

// ledger has every change, once, in the order of revisions, whichever member told it
// first.
type ledger struct {
	prefix string

	mu       sync.Mutex
	seen     int64 // the revision up to which all changes are in
	changes  []witness.Change
	standing map[string]string // IDs of places that stand, by key
	news     chan struct{}     // closed at the next change
}

func newLedger(prefix string, from int64) *ledger {
	return &ledger{prefix: prefix, seen: from, standing: make(map[string]string), news: make(chan struct{})}
}

// told takes in what a member told: whole revisions, in order, and none left out since
// what it told before. What another one told already is passed over.
func (l *ledger) told(at time.Duration, events []*clientv3.Event) {
	l.mu.Lock()
	defer l.mu.Unlock()
	ended := make(map[int64]map[string]bool) // leases, by the revision in which their session ended
	for _, e := range events {
		if lease, ok := sessionKey(l.prefix, string(e.Kv.Key)); ok && e.Type == mvccpb.DELETE {
			if ended[e.Kv.ModRevision] == nil {
				ended[e.Kv.ModRevision] = make(map[string]bool)
			}
			ended[e.Kv.ModRevision][lease] = true
		}
	}
	before := l.seen
	for _, e := range events {
		if e.Kv.ModRevision <= before {
			continue
		}
		l.seen = e.Kv.ModRevision
		if name, lease, ok := placeKey(l.prefix, string(e.Kv.Key)); ok {
			l.changedLocked(at, e, witness.Change{
				Name: name, Session: lease, Ended: ended[e.Kv.ModRevision][lease],
			})
		}
	}
	if l.seen > before {
		close(l.news)
		l.news = make(chan struct{})
	}
}

// changedLocked notes a change of a place's key.
func (l *ledger) changedLocked(at time.Duration, e *clientv3.Event, c witness.Change) {
	key := string(e.Kv.Key)
	c.At, c.Position = at, e.Kv.ModRevision
	switch {
	case e.Type == mvccpb.DELETE:
		c.ID = l.standing[key]
		delete(l.standing, key)
	case e.IsCreate():
		c.Came, c.Token = true, uint64(c.Position)<<8
		c.ID, c.Owner = place(string(e.Kv.Value))
		l.standing[key] = c.ID
	default:
		return // what it says about itself
	}
	l.changes = append(l.changes, c)
}

// upTo is the revision up to which all is known, and a channel that tells of more.
func (l *ledger) upTo() (int64, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.seen, l.news
}

// all are the changes so far.
func (l *ledger) all() []witness.Change {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.changes)
}
