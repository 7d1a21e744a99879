package etcddriver

import (
	"strings"
	"sync"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// trail is what a track follows: a key, or only its end.
type trail struct {
	key    string
	ending bool
}

func (t trail) wants() wants {
	if t.ending {
		return endings
	}
	return changes
}

// process tells the tracks of two processes apart. One that leaves and enters in one step
// stands at two spots in turn: both are worth following.
func (t trail) process() string {
	process, _, _ := strings.Cut(t.key[strings.LastIndexByte(t.key, '/')+1:], ":")
	return process
}

// track follows one key for those who wait. It stands for a while after its last waiter
// was served: processes that take one lock over and over mostly stand in the same
// order, each behind the same key.
type track struct {
	trail
	line   string
	stream *watchStream
	watch  *watch

	mu    sync.Mutex
	from  int64 // the revision after which all changes are told; 0 before it is known
	last  int64 // the revision of the last change
	err   error // why nothing more will be told
	wakes map[chan struct{}]struct{}

	// Guarded by the table's mutex:

	users int
	idle  *time.Timer   // ends the track, while it has no users
	since time.Duration // when that began
}

// begun, changed and broke are what the stream tells.
func (t *track) begun(revision int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.from = revision
	t.wakeLocked()
}

func (t *track) changed(events []*mvccpb.Event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.last = events[len(events)-1].Kv.ModRevision
	t.wakeLocked()
}

func (t *track) broke(err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.err = err
	t.wakeLocked()
}

func (t *track) wakeLocked() {
	for wake := range t.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

// news is the revision of the last change of the key or, when there was none yet, from
// which on changes are told: who saw the key before that cannot know. The track is not
// ready before that is known. changed is the revision of the last change by itself.
func (t *track) news() (revision int64, ready bool, changed int64, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return max(t.last, t.from), t.from > 0, t.last, t.err
}

// listen has a channel get a token whenever there is news, until quiet is called.
func (t *track) listen(wake chan struct{}) (quiet func()) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.wakes[wake] = struct{}{}
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		delete(t.wakes, wake)
	}
}

func (t *track) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.err != nil
}

// tracks are the keys that are followed, by line.
type tracks struct {
	d *Driver

	mu     sync.Mutex
	byLine map[string]map[trail]*track
}

func newTracks(d *Driver) *tracks { return &tracks{d: d, byLine: make(map[string]map[trail]*track)} }

// look returns the track of a key. Whoever looks says when it is done.
func (ts *tracks) look(line string, at trail) (*track, error) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	t := ts.byLine[line][at]
	if t == nil || t.over() {
		t = &track{trail: at, line: line, wakes: make(map[chan struct{}]struct{})}
		var ok bool
		if t.stream, t.watch, ok = ts.d.follow(one(at.key), at.wants(), t); !ok {
			return nil, driver.ErrClosed
		}
		if ts.byLine[line] == nil {
			ts.byLine[line] = make(map[trail]*track)
		}
		ts.byLine[line][at] = t
	}
	if t.idle != nil {
		t.idle.Stop()
		t.idle = nil
	}
	t.users++
	return t, nil
}

// lookAll returns the tracks of several keys of a line.
func (ts *tracks) lookAll(line string, all ...trail) ([]*track, error) {
	var found []*track
	for _, at := range all {
		t, err := ts.look(line, at)
		if err != nil {
			ts.done(found...)
			return nil, err
		}
		found = append(found, t)
	}
	return found, nil
}

// done says that a looker does not look any more.
func (ts *tracks) done(all ...*track) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, t := range all {
		if t.users--; t.users == 0 {
			t.idle, t.since = time.AfterFunc(idleFor, func() { ts.forget(t) }), ts.d.now()
			ts.trimLocked(t.line)
		}
	}
}

// spareTracks is how many tracks of a line may be idle beside as many as are in use: that
// of the place ahead of the one that was just granted.
const spareTracks = 1

// trimLocked forgets the track of a line that has been idle for longest, if there are too
// many. The news of each cost the store a message whenever its process takes a turn: when
// processes change their order, they would all come to follow each other.
func (ts *tracks) trimLocked(line string) {
	var oldest *track
	idle, used := 0, 0
	processes := make(map[string]bool)
	for _, t := range ts.byLine[line] {
		switch {
		case t.users > 0:
			used++
			continue
		case oldest == nil || t.since < oldest.since:
			oldest = t
		}
		idle++
		processes[t.process()] = true
	}
	if len(processes) > used+spareTracks || idle > 2*(used+spareTracks) {
		oldest.idle.Stop()
		ts.forgetLocked(oldest)
	}
}

// forget ends a track that nobody looks at.
func (ts *tracks) forget(t *track) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	ts.forgetLocked(t)
}

func (ts *tracks) forgetLocked(t *track) {
	if t.users > 0 {
		return
	}
	if keys := ts.byLine[t.line]; keys[t.trail] == t {
		if delete(keys, t.trail); len(keys) == 0 {
			delete(ts.byLine, t.line)
		}
	}
	t.stream.drop(t.watch)
}

// any returns a key of the line, but this one, that is followed: somebody here waits for
// it, or did lately, so that there likely is a place.
func (ts *tracks) any(line, but string) (key string, ok bool) {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for at := range ts.byLine[line] {
		if at.key != but {
			return at.key, true
		}
	}
	return "", false
}

// close forgets all tracks: the handle is closed, and they have ended with it.
func (ts *tracks) close() {
	ts.mu.Lock()
	defer ts.mu.Unlock()
	for _, keys := range ts.byLine {
		for _, t := range keys {
			if t.idle != nil {
				t.idle.Stop()
			}
		}
	}
	clear(ts.byLine)
}
