package redisdriver

import (
	"crypto/sha1"
	"embed"
	"encoding/hex"
	"strings"
)

//go:embed lua/*.lua
var lua embed.FS

// script is one atomic step of the store.
type script struct {
	source string
	// sha is the name that the server gives it.
	sha string
	// reads says that nothing follows for the caller from an answer that was lost.
	reads bool
	// lasts says that what it does must survive a failover, see Options.Replicas.
	lasts bool
}

// scripts are all there are.
type scripts struct {
	open, renew, present, close        *script
	remaining                          *script
	enter, tryAll, swap, leave, update *script
	several                            *script // what is simple of enter and leave, many at once
	look, line, list, evict, due       *script
	take, keep, drop, peek             *script // of the layout of single keys
	get, put, delete, entries          *script
}

// When the server's memory is full it refuses scripts that need more of it. Those that
// give something back, or keep what is there alive, go on.
const (
	needsMemory = "#!lua\n"
	anyMemory   = "#!lua flags=allow-oom\n"
)

func newScripts() *scripts {
	var (
		base   = []string{"root", "keys", "clock", "place", "sweep"}
		leases = append(base[:len(base):len(base)], "live")
		shows  = append(base[:len(base):len(base)], "show")
		claims = append(shows[:len(shows):len(shows)], "order", "claim", "join")
		values = append(base[:len(base):len(base)], "order", "entry")
		// What is free is taken and given back before anything else is defined.
		enters = []string{"root", "clock", "order", "freeenter", "keys", "place", "sweep", "show", "claim", "join"}
		leaves = []string{"root", "freeleave", "keys", "clock", "place", "sweep"}
	)
	reading := func(s *script) *script { s.reads = true; return s }
	lasting := func(s *script) *script { s.lasts = true; return s }
	return &scripts{
		open:    lasting(compose(needsMemory, leases, "open")),
		renew:   lasting(compose(anyMemory, leases, "renew")),
		present: reading(compose(anyMemory, base, "present")),
		close:   compose(anyMemory, base, "close"),

		remaining: reading(compose(anyMemory, base, "remaining")),

		enter:  lasting(compose(needsMemory, enters, "enter")),
		tryAll: lasting(compose(needsMemory, claims, "tryall")),
		swap:   lasting(compose(anyMemory, claims, "swap")),
		leave:  compose(anyMemory, leaves, "leave"),
		update: compose(needsMemory, shows, "update"),

		several: compose(needsMemory, []string{"root", "clock", "order"}, "several"),

		look:  reading(compose(anyMemory, shows, "look")),
		line:  reading(compose(anyMemory, shows, "line")),
		list:  reading(compose(anyMemory, shows, "list")),
		evict: compose(anyMemory, base, "evict"),
		due:   reading(compose(anyMemory, base, "due")),

		get:     reading(compose(anyMemory, values, "get")),
		put:     compose(needsMemory, values, "put"),
		delete:  compose(anyMemory, values, "delete"),
		entries: reading(compose(anyMemory, values, "entries")),

		take: lasting(compose(needsMemory, nil, "take")),
		keep: lasting(compose(anyMemory, nil, "keep")),
		drop: compose(anyMemory, nil, "drop"),
		peek: reading(compose(anyMemory, nil, "peek")),
	}
}

// compose puts the pieces that a script shares before its own.
func compose(head string, pieces []string, own string) *script {
	var source strings.Builder
	source.WriteString(head)
	for _, name := range append(pieces[:len(pieces):len(pieces)], own) {
		piece, err := lua.ReadFile("lua/" + name + ".lua")
		if err != nil {
			panic(err) // not possible: it is embedded
		}
		source.Write(piece)
	}
	sum := sha1.Sum([]byte(source.String()))
	return &script{source: source.String(), sha: hex.EncodeToString(sum[:])}
}
