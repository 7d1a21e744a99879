package drivertest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

func nameCases() []testCase {
	return []testCase{
		{
			name: "names/round-trip",
			reason: "A name is any text of 1 to 512 bytes. It comes back exactly, wherever the store has to " +
				"escape it (S45).",
			run: namesRoundTrip,
		},
		{
			name: "names/unrelated",
			reason: "Names that look alike, contain each other or differ in case are different locks. Two " +
				"that collide deadlock programs that never heard of each other (S45).",
			run: namesUnrelated,
		},
		{
			name:   "names/random",
			reason: "The odd names that nobody thought of.",
			run:    namesRandom,
		},
		{
			name: "names/prefixes",
			reason: "A prefix is a matter of bytes, not of how the store escapes, nests or sorts: the listing " +
				"has all that begin with it, and no others.",
			needs: queue,
			run:   namesPrefixes,
		},
		{
			name:   "names/empty-lines-vanish",
			reason: "A name that nobody uses any more is not listed (S49).",
			needs:  queue,
			run:    namesVanish,
		},
	}
}

func namesRoundTrip(e *env) {
	a, b := e.actor(), e.actor()
	for _, name := range oddNames() {
		p := a.take(mutex(name))
		b.stands(name, p)
		b.busy(mutex(name))
		if e.Layout == driver.LayoutQueue {
			p.Data = []byte(`"seen"`)
			p = a.update(p)
			p = a.swap(p, mutex(name))
			b.evict(p, ask("next"))
			if marks := a.renew(); len(marks) != 1 || marks[0].Line != name {
				e.Errorf("%q: Renew told %+v, want one eviction of that line", name, marks)
			}
		}
		a.has(p)
		a.leave(p)
		b.stands(name)
	}
}

func namesUnrelated(e *env) { e.takeAll(oddNames()) }

func namesRandom(e *env) { e.takeAll(randomNames(newRand(), e.rounds(200))) }

// takeAll takes each name while all those before it are held, so that two names that
// are one to the store block each other.
func (e *env) takeAll(names []string) {
	e.Helper()
	a, b := e.actor(), e.actor()
	places := make([]driver.Place, len(names))
	for i, name := range names {
		p, err := a.ses.Enter(e.ctx(), try(mutex(name)))
		if err != nil {
			e.Fatalf("a try of %q, while other names are held: %v", name, err)
		}
		places[i] = p
	}
	for i, name := range names {
		b.stands(name, places[i])
	}
	for i, p := range places {
		if i%2 == 0 {
			a.leave(p)
		}
	}
	for i, name := range names {
		if i%2 == 0 {
			b.stands(name)
		} else {
			b.stands(name, places[i])
		}
	}
}

func namesPrefixes(e *env) {
	a := e.actor()
	all := append(oddNames(), randomNames(newRand(), 20)...)
	slices.Sort(all)
	all = slices.Compact(all)
	for _, name := range all {
		a.take(mutex(name))
	}
	prefixes := []string{
		"", "a", "a/", "a%", "a%2F", "a%2f", "/", "//", ".", "..", "../", "A", "o", "O", "%", "%2", "%25", " ",
		"锁", "e", "é", "\U0001f512", "\n", "n", "nn", strings.Repeat("n", 300), strings.Repeat("n", driver.MaxName),
		"nothing-begins-with-this",
	}
	for _, prefix := range prefixes {
		var want []string
		for _, name := range all {
			if strings.HasPrefix(name, prefix) {
				want = append(want, name)
			}
		}
		if got := names(e.list(a.drv, driver.Query{Name: prefix, Prefix: true})); !slices.Equal(got, want) {
			e.Errorf("prefix %.40q lists %s", prefix, difference(got, want))
		}
	}
}

// difference says what is missing and what is too much.
func difference(got, want []string) string {
	var notes []string
	for _, name := range want {
		if !slices.Contains(got, name) {
			notes = append(notes, fmt.Sprintf("not %.40q", name))
		}
	}
	for _, name := range got {
		if !slices.Contains(want, name) {
			notes = append(notes, fmt.Sprintf("also %.40q", name))
		}
	}
	if len(notes) == 0 {
		return "the right names in the wrong order, or one of them twice"
	}
	return strings.Join(notes, ", ")
}

func namesVanish(e *env) {
	a := e.actor()
	for _, name := range randomNames(newRand(), e.rounds(100)) {
		a.leave(a.take(mutex(name)))
	}
	p := a.take(mutex("stays"))
	if got := names(e.list(e.dial(), driver.Query{Prefix: true})); !slices.Equal(got, []string{p.Line}) {
		e.Errorf("the store lists %q, want only the line that somebody stands in", got)
	}
}
