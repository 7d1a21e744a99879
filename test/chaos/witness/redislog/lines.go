package redislog

import (
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/holdgate/holdgate/test/chaos/witness"
)

// A line is a hash <root>line:<name>. A place in it is a field, its ID in 32 digits, with
// "<units> <version> <order> <session> <data>". A session is a hash <root>session:<ID> with
// its owner.

const idLength = 32

// lines follows who stands where.
type lines struct {
	root     string
	owners   map[string]string            // by session
	ended    map[string]bool              // sessions
	standing map[string]map[string]string // sessions, by name and ID
	changes  []witness.Change
}

// changes returns the places that came and went by these transactions. Their positions are
// one more than their index.
func changes(root string, transactions [][]command) []witness.Change {
	l := &lines{
		root: root, owners: make(map[string]string), ended: make(map[string]bool),
		standing: make(map[string]map[string]string),
	}
	for i, t := range transactions {
		for _, c := range t {
			l.apply(int64(i)+1, c)
		}
	}
	return l.changes
}

func (l *lines) apply(position int64, c command) {
	switch {
	case c.is("hset"), c.is("hmset"), c.is("hsetnx"):
		l.set(position, c[1], c[2:])
	case c.is("hdel"):
		if name, ok := l.named(c[1], "line:"); ok {
			for _, id := range c[2:] {
				l.went(position, name, id)
			}
		}
	case c.is("del"), c.is("unlink"):
		for _, key := range c[1:] {
			l.deleted(position, key)
		}
	}
}

// named is the rest of a key of this kind.
func (l *lines) named(key, kind string) (string, bool) { return strings.CutPrefix(key, l.root+kind) }

func (l *lines) set(position int64, key string, fields []string) {
	if session, ok := l.named(key, "session:"); ok {
		for i := 0; i+1 < len(fields); i += 2 {
			if fields[i] == "owner" {
				l.owners[session] = fields[i+1]
			}
		}
		return
	}
	name, ok := l.named(key, "line:")
	if !ok {
		return
	}
	for i := 0; i+1 < len(fields); i += 2 {
		if id := fields[i]; len(id) == idLength {
			l.came(position, name, id, fields[i+1])
		}
	}
}

// came notes a place, unless it stands there and only says something else about itself.
func (l *lines) came(position int64, name, id, record string) {
	places := l.standing[name]
	if places == nil {
		places = make(map[string]string)
		l.standing[name] = places
	}
	if _, stands := places[id]; stands {
		return
	}
	parts := strings.SplitN(record, " ", 5)
	if len(parts) < 4 {
		return
	}
	order, err := strconv.ParseUint(parts[2], 10, 64)
	if err != nil {
		return
	}
	session := parts[3]
	places[id] = session
	l.changes = append(l.changes, witness.Change{
		Position: position, Came: true, Name: name, ID: id, Session: session,
		Owner: l.owners[session], Token: order << 8,
	})
}

func (l *lines) went(position int64, name, id string) {
	session, ok := l.standing[name][id]
	if !ok {
		return
	}
	delete(l.standing[name], id)
	l.changes = append(l.changes, witness.Change{
		Position: position, Name: name, ID: id, Session: session, Ended: l.ended[session],
	})
}

// deleted is a session that ends, or a line in which nobody stands any more.
func (l *lines) deleted(position int64, key string) {
	if session, ok := l.named(key, "session:"); ok {
		l.ended[session] = true
	}
	if name, ok := l.named(key, "line:"); ok {
		for _, id := range slices.Sorted(maps.Keys(l.standing[name])) {
			l.went(position, name, id)
		}
	}
}
