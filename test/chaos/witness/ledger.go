package witness

import (
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/internal/history"
)

// ledger has every change, once, in the order of revisions, whichever member told it
// first.
type ledger struct {
	prefix string

	mu       sync.Mutex
	seen     int64 // the revision up to which all changes are in
	changes  []change
	standing map[string]string // IDs of places that stand, by key
	news     chan struct{}     // closed at the next change
}

// change is a place that came or went.
type change struct {
	at       time.Duration // when it was told
	revision int64
	came     bool
	name     string
	id       string
	owner    string // of one that came
	lease    string
	ended    bool // it went because its session ended
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
			l.changedLocked(at, e, change{name: name, lease: lease, ended: ended[e.Kv.ModRevision][lease]})
		}
	}
	if l.seen > before {
		close(l.news)
		l.news = make(chan struct{})
	}
}

// changedLocked notes a change of a place's key.
func (l *ledger) changedLocked(at time.Duration, e *clientv3.Event, c change) {
	key := string(e.Kv.Key)
	c.at, c.revision = at, e.Kv.ModRevision
	switch {
	case e.Type == mvccpb.DELETE:
		c.id = l.standing[key]
		delete(l.standing, key)
	case e.IsCreate():
		c.came = true
		c.id, c.owner = place(string(e.Kv.Value))
		l.standing[key] = c.id
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

// events is what a history needs to know. revoked has the leases that were revoked, and
// a moment before that.
func (l *ledger) events(c *clock, ttl time.Duration, revoked map[string]time.Duration) []history.Event {
	l.mu.Lock()
	defer l.mu.Unlock()
	var events []history.Event
	for _, ch := range l.changes {
		since := c.notBefore(ch.revision)
		e := history.Event{Name: ch.name, Place: ch.id}
		if ch.came {
			e.Kind, e.At, e.Client, e.Token = history.Stood, since, ch.owner, uint64(ch.revision)<<8
			events = append(events, e)
			continue
		}
		e.At, e.Since = ch.at, since
		if asked, ok := revoked[ch.lease]; ok && ch.ended {
			// Its client renewed the session before that, and may believe for a TTL.
			broken := e
			broken.Kind, broken.Since, broken.Until = history.Broken, max(since, asked), ch.at+ttl
			events = append(events, broken)
		}
		e.Kind = history.Freed
		events = append(events, e)
	}
	return events
}
