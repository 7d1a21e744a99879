package zklog

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/test/chaos/witness"
)

// A place is an ephemeral node <prefix>/<name>/_c_<ID>-... whose data is JSON. Names in a
// chaos run are plain letters, so that nothing is escaped.

const (
	placeMark = "_c_"
	idLength  = 32
)

// SessionText is how a session is named.
func SessionText(session int64) string { return fmt.Sprintf("%#x", uint64(session)) }

// lines follows who stands where.
type lines struct {
	prefix   string
	standing map[string]standing // by path
	changes  []witness.Change
}

type standing struct {
	name, id string
	session  int64
}

// changes returns the places that came and went by these transactions.
func changes(prefix string, transactions []transaction) []witness.Change {
	l := &lines{prefix: prefix, standing: make(map[string]standing)}
	for _, t := range transactions {
		for _, op := range t.ops {
			switch op.kind {
			case creates:
				l.came(t, op)
			case deletes:
				l.went(t.zxid, op.path, false)
			case closes:
				l.closed(t)
			}
		}
	}
	return l.changes
}

func (l *lines) came(t transaction, op operation) {
	name, id, ok := placeOf(l.prefix, op.path)
	if !ok {
		return
	}
	var record struct{ Owner string }
	_ = json.Unmarshal(op.data, &record) // what is no place of ours has no owner
	l.standing[op.path] = standing{name, id, t.session}
	l.changes = append(l.changes, witness.Change{
		Position: t.zxid, Came: true, Name: name, ID: id, Session: SessionText(t.session),
		Owner: record.Owner, Token: uint64(t.zxid) << 8,
	})
}

// closed notes that all places of a session went.
func (l *lines) closed(t transaction) {
	for _, path := range slices.Sorted(maps.Keys(l.standing)) {
		if l.standing[path].session == t.session {
			l.went(t.zxid, path, true)
		}
	}
}

func (l *lines) went(zxid int64, path string, ended bool) {
	s, ok := l.standing[path]
	if !ok {
		return
	}
	delete(l.standing, path)
	l.changes = append(l.changes, witness.Change{
		Position: zxid, Name: s.name, ID: s.id, Session: SessionText(s.session), Ended: ended,
	})
}

// placeOf takes the path of a place apart.
func placeOf(prefix, path string) (name, id string, ok bool) {
	rest, ok := strings.CutPrefix(path, prefix+"/")
	name, node, ok2 := strings.Cut(rest, "/")
	id, ok3 := strings.CutPrefix(node, placeMark)
	if !ok || !ok2 || !ok3 || len(id) < idLength || strings.Contains(id, "/") {
		return "", "", false
	}
	return name, id[:idLength], true
}
