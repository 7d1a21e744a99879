package redisdriver

import (
	"strings"
	"sync/atomic"
)

// keys makes the names of keys as lua/keys.lua does, with what each is for. Redis takes
// any bytes, so the names of lines are in them as they are.
type keys struct {
	root string
	// The four that there are once.
	deadlines, counter, lines, entries string

	// alone: the server has said that it is no part of a cluster. Then a script names the
	// first of its keys only: nobody looks at the others, and they cost a tenth of it.
	alone *atomic.Bool
	first []string
}

func newKeys(prefix string) keys {
	root := "{" + prefix + "}:"
	return keys{
		root: root, deadlines: root + "deadlines", counter: root + "counter", lines: root + "lines", entries: root + "entries",
		alone: new(atomic.Bool), first: []string{root + "deadlines"},
	}
}

func (k keys) session(id string) string   { return k.root + "session:" + id }
func (k keys) places(id string) string    { return k.root + "places:" + id }
func (k keys) marks(id string) string     { return k.root + "marks:" + id }
func (k keys) line(name string) string    { return k.root + "line:" + name }
func (k keys) order(name string) string   { return k.root + "order:" + name }
func (k keys) waiting(name string) string { return k.root + "waiting:" + name }
func (k keys) entry(key string) string    { return k.root + "entry:" + key }

// ofSession are the keys of a script about a session.
func (k keys) ofSession(id string) []string {
	if k.alone.Load() {
		return k.first
	}
	return []string{k.deadlines, k.session(id), k.places(id), k.marks(id)}
}

// ofLine are the keys of a script about a line.
func (k keys) ofLine(name string) []string {
	if k.alone.Load() {
		return k.first
	}
	return []string{k.deadlines, k.lines, k.line(name), k.order(name), k.waiting(name)}
}

// ofPlace are the keys of a script about a session's place.
func (k keys) ofPlace(session, name string) []string {
	if k.alone.Load() {
		return k.first
	}
	return []string{
		k.deadlines, k.session(session), k.places(session),
		k.lines, k.line(name), k.order(name), k.waiting(name),
	}
}

// ofClaim are the keys of a script that makes a place.
func (k keys) ofClaim(session, name string) []string {
	if k.alone.Load() {
		return k.first
	}
	return []string{
		k.deadlines, k.counter, k.session(session), k.places(session),
		k.lines, k.line(name), k.order(name), k.waiting(name),
	}
}

// ofEntry are the keys of a script about an entry.
func (k keys) ofEntry(key string) []string {
	if k.alone.Load() {
		return k.first
	}
	return []string{k.deadlines, k.counter, k.entries, k.entry(key)}
}

// named returns the name of the line, or the key of the entry, that a channel is about.
func (k keys) named(channel string) string {
	_, name, _ := strings.Cut(strings.TrimPrefix(channel, k.root), ":")
	return name
}

// literal escapes what a pattern of channels gives a meaning to.
func literal(channel string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`).Replace(channel)
}
