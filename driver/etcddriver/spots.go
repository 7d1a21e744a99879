package etcddriver

import (
	"strconv"
	"sync"
)

// spots are the keys at which the places of a session stand.
//
// A key is the session's, and is used again for its next place in that line: the lease
// for the first place in a line, and "<lease>:1" and so on while that one stands.
// It is not named after the place's ID, because etcd keeps a deleted key in its
// index until the next compaction, which is off by default, and every look at the
// line passes by it: a lock that was taken a million times would take a million steps
// to look at. The ID is in the record.
//
// A spot belongs to one place, from before the first request to make it until the place
// is known to be gone and no such request can be under way.
//
// A handle that carries the session on has spots of its own ("<lease>:<handle>", and so on):
// what an older handle still does to one of its spots never meets a place that was made
// since.
type spots struct {
	base string // the name of the first one

	mu    sync.Mutex
	lines map[string]map[int]string // IDs by number, by line
	byID  map[placeKey]spot
}

// placeKey names a place of a session.
type placeKey struct{ line, id string }

// spot is where a place stands or is about to.
type spot struct {
	number int
	name   string // of one that another handle has made, else empty
	order  int64  // its create revision, 0 while that is not known
	// doubtful: a request to make the place was not answered, and may yet be carried out.
	doubtful bool
	// spoiled: so was one to empty the spot. It is never used again.
	spoiled bool
	ahead   ahead // what the place waited for when it was made, if it is of capacity 1
}

func newSpots(base string) *spots {
	return &spots{
		base:  base,
		lines: make(map[string]map[int]string),
		byID:  make(map[placeKey]spot),
	}
}

// name is the end of a spot's key. The colon is behind the slash, so that no spot is
// among the traces of another.
func (ss *spots) name(number int) string {
	if number == 0 {
		return ss.base
	}
	return ss.base + ":" + strconv.Itoa(number)
}

// nameOf is the end of the key of a place's spot, whoever has made it.
func (ss *spots) nameOf(at spot) string {
	if at.name != "" {
		return at.name
	}
	return ss.name(at.number)
}

// take returns the spot of a place: its own, or the first free one.
func (ss *spots) take(line, id string) (name string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	at, ok := ss.byID[placeKey{line, id}]
	if !ok {
		taken := ss.lines[line]
		if taken == nil {
			taken = make(map[int]string, 1)
			ss.lines[line] = taken
		}
		for taken[at.number] != "" {
			at.number++
		}
		taken[at.number] = id
		ss.byID[placeKey{line, id}] = at
	}
	return ss.nameOf(at)
}

// find returns the spot of a place, if it has one.
func (ss *spots) find(line, id string) (at spot, name string, ok bool) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	at, ok = ss.byID[placeKey{line, id}]
	return at, ss.nameOf(at), ok
}

// crowded reports whether the session has places in the line beside this one.
func (ss *spots) crowded(line string) bool {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	return len(ss.lines[line]) > 1
}

// stands notes that a place was made, and when.
func (ss *spots) stands(line, id string, order uint64) {
	ss.change(line, id, func(at *spot) { at.order = int64(order) })
}

// waits notes what a new place waits for.
func (ss *spots) waits(line, id string, next ahead) {
	ss.change(line, id, func(at *spot) { at.ahead = next })
}

// doubt notes that a request to make a place was not answered.
func (ss *spots) doubt(line, id string) {
	ss.change(line, id, func(at *spot) { at.doubtful = true })
}

// certain notes that none can be carried out any more.
func (ss *spots) certain(line, id string) {
	ss.change(line, id, func(at *spot) { at.doubtful = false })
}

// spoil notes that a request to empty the spot was not answered.
func (ss *spots) spoil(line, id string) {
	ss.change(line, id, func(at *spot) { at.spoiled = true })
}

func (ss *spots) change(line, id string, f func(*spot)) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if at, ok := ss.byID[placeKey{line, id}]; ok {
		f(&at)
		ss.byID[placeKey{line, id}] = at
	}
}

// free gives the spot of a place back that does not stand, unless a request to make it may
// be under way.
func (ss *spots) free(line, id string) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	at, ok := ss.byID[placeKey{line, id}]
	if !ok || at.doubtful {
		return
	}
	delete(ss.byID, placeKey{line, id})
	if at.name != "" {
		return // it is none of this handle's
	}
	if at.spoiled {
		ss.lines[line][at.number] = spoiledSpot
		return
	}
	delete(ss.lines[line], at.number)
	if len(ss.lines[line]) == 0 {
		delete(ss.lines, line)
	}
}

// spoiledSpot stands where nothing may ever stand again. It is no ID.
const spoiledSpot = "spoiled"

// evade gives a place another spot: at its own stands one that should not be there. That
// spot is the other's from now on.
func (ss *spots) evade(line, id, other, name string) string {
	ss.mu.Lock()
	if at, ok := ss.byID[placeKey{line, id}]; ok && ss.name(at.number) == name {
		delete(ss.byID, placeKey{line, id})
		ss.lines[line][at.number] = other
		ss.byID[placeKey{line, other}] = spot{number: at.number}
	}
	ss.mu.Unlock()
	return ss.take(line, id)
}

// adopt notes a place that another handle has made, by the end of its key.
func (ss *spots) adopt(line, id, name string, order uint64) {
	ss.mu.Lock()
	defer ss.mu.Unlock()
	if _, known := ss.byID[placeKey{line, id}]; !known {
		ss.byID[placeKey{line, id}] = spot{name: name, order: int64(order)}
	}
}
