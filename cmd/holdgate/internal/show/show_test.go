package show_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// What a terminal could take for a command never reaches it.
func TestText(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"deploy/web":        "deploy/web",
		"锁":                 "锁",
		"a b":               "a b",
		"":                  `""`,
		" a":                `" a"`,
		"a  b":              `"a  b"`,
		"a\nb":              `"a\nb"`,
		"\x1b[2Jgone":       `"\x1b[2Jgone"`,
		"\u202eright":       `"\u202eright"`,
		"\u009b2J":          `"\u009b2J"`,
		"tab\tulator":       `"tab\tulator"`,
		"no-break\u00a0end": `"no-break\u00a0end"`,
	} {
		if got := show.Text(text); got != want {
			t.Errorf("Text(%q) = %s, want %s", text, got, want)
		}
	}
}

func TestDuration(t *testing.T) {
	t.Parallel()
	for d, want := range map[time.Duration]string{
		-time.Second:                        "0ms",
		1500 * time.Microsecond:             "1ms",
		59900 * time.Millisecond:            "59s",
		3*time.Minute + 5*time.Second:       "3m05s",
		26*time.Hour + 10*time.Minute:       "1d02h",
		2*time.Hour + 10*time.Minute + 3000: "2h10m",
	} {
		if got := show.Duration(d); got != want {
			t.Errorf("Duration(%v) = %s, want %s", d, got, want)
		}
	}
}

func place(id string, granted bool, token holdgate.Token) holdgate.Place {
	return holdgate.Place{ID: id, Owner: id, Granted: granted, Token: token, Units: 1, Capacity: 1}
}

func line(name string, places ...holdgate.Place) holdgate.Line {
	return holdgate.Line{Name: name, Places: places}
}

// The JSON of a place is a promise: a token is a string, a TTL is in seconds, what is unknown is
// absent.
func TestJSON(t *testing.T) {
	t.Parallel()
	p := place("a", true, 1<<60)
	p.TTL = 1500 * time.Millisecond
	p.Reason = "<b>"
	var out bytes.Buffer
	if err := show.Record(&out, show.NewLine(line("x", p, place("b", false, 0)))); err != nil {
		t.Fatal(err)
	}
	want := `{"name":"x","places":[` +
		`{"id":"a","position":1,"state":"holds","owner":"a","units":1,"capacity":1,"ttl_seconds":1.5,"token":"1152921504606846976","reason":"<b>"},` +
		`{"id":"b","position":2,"state":"waits","owner":"b","units":1,"capacity":1}]}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func TestChanges(t *testing.T) {
	t.Parallel()
	var c show.Changes
	evicted := place("b", true, 7)
	evicted.Eviction = &holdgate.Eviction{By: "ops", Reason: "why"}
	for _, step := range []struct {
		snapshot holdgate.Snapshot
		want     string
	}{
		{holdgate.Snapshot{Full: true, Lines: []holdgate.Line{line("x", place("a", true, 5), place("b", false, 0))}}, "x a holds initial, x b waits initial"},
		{holdgate.Snapshot{Lines: []holdgate.Line{line("x", place("a", true, 5), place("b", false, 0))}}, ""},
		{holdgate.Snapshot{Lines: []holdgate.Line{line("w", place("c", true, 1))}}, "w c holds"},
		{holdgate.Snapshot{Lines: []holdgate.Line{line("x", evicted)}}, "x a left, x b holds, x b evicted"},
		{holdgate.Snapshot{Full: true, Lines: []holdgate.Line{line("w", place("c", true, 1))}}, "x b left"},
		{holdgate.Snapshot{Lines: []holdgate.Line{line("w")}}, "w c left"},
	} {
		var got []string
		for _, change := range c.Next(step.snapshot, time.Now()) {
			words := []string{change.Name, change.Place.ID, string(change.Event)}
			if change.Initial {
				words = append(words, "initial")
			}
			got = append(got, strings.Join(words, " "))
		}
		if got := strings.Join(got, ", "); got != step.want {
			t.Errorf("got %q, want %q", got, step.want)
		}
	}
}

func TestTable(t *testing.T) {
	t.Parallel()
	now := time.Now()
	held := place("ann", true, 5)
	held.Since, held.Reason = now.Add(-65*time.Second), "v2"
	rows := show.Table([]holdgate.Line{
		line("deploy/web", held, place("bob", false, 0)),
		line("waits", place("eve", false, 0)),
		line("two", place("a", true, 0), holdgate.Place{ID: "b", Granted: true, Foreign: true}),
	}, now)
	want := []string{
		"NAME         HOLDER         HELD    TOKEN   WAITING   REASON",
		"deploy/web   ann            1m05s   5       1         v2",
		"waits        -              -       -       1",
		"two          a and 1 more   -       -       0",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}
