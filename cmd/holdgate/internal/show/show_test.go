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
	if err := show.Record(&out, show.NewLine(line("x", p, place("b", false, 0)), noOrphans)); err != nil {
		t.Fatal(err)
	}
	want := `{"name":"x","places":[` +
		`{"id":"a","position":1,"state":"holds","owner":"a","units":1,"capacity":1,"ttl_seconds":1.5,"token":"1152921504606846976","reason":"<b>"},` +
		`{"id":"b","position":2,"state":"waits","owner":"b","units":1,"capacity":1}]}` + "\n"
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &out, want)
	}
}

func noOrphans(holdgate.Place) *show.Orphan { return nil }

// What is said of an orphan names who keeps it, if that can be seen.
func TestOrphan(t *testing.T) {
	t.Parallel()
	orphans := func(o *show.Orphan) show.Orphans { return func(holdgate.Place) *show.Orphan { return o } }
	for want, o := range map[string]*show.Orphan{
		"": nil,
		"  process 7, which took it, has ended; it is kept by what that started: 8, 9":                           {PID: 7, KeptBy: []int{8, 9}},
		"  process 7, which took it, has ended; it is kept by what that started, which cannot be seen from here": {PID: 7},
	} {
		rows := show.Details(line("x", place("a", true, 5)), time.Now(), orphans(o))
		if got := rows[len(rows)-1]; o != nil && got != want || o == nil && strings.Contains(got, "ended") {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	var out bytes.Buffer
	if err := show.Record(&out, show.NewLine(line("x", place("a", true, 5)), orphans(&show.Orphan{PID: 7, KeptBy: []int{8}}))); err != nil {
		t.Fatal(err)
	}
	if want := `"orphan":{"pid":7,"kept_by":[8]}`; !strings.Contains(out.String(), want) {
		t.Errorf("got %s, want %s in it", &out, want)
	}
}

// All who say who holds a lock, and how many wait, say it with the same words and count the same.
func TestSameWords(t *testing.T) {
	t.Parallel()
	now := time.Now()
	held := place("ann", true, 5)
	held.Since, held.Reason = now.Add(-65*time.Second), "v2"
	const words = "held by ann for 1m05s (v2)"
	if got, want := show.Busy(&holdgate.BusyError{Name: "x", Holder: held, Ahead: 3}, now), "x is busy: "+words+", 2 in line"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if got, want := show.Waiting(holdgate.Waiting{Name: "x", Holder: held, Ahead: 2}, now), "waiting for x, 2nd in line: "+words; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	for n, want := range map[int]string{1: "1st", 2: "2nd", 3: "3rd", 4: "4th", 11: "11th", 12: "12th", 13: "13th", 21: "21st", 111: "111th", 122: "122nd"} {
		if got := show.Ordinal(n); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
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
		line("left", place("dead", true, 6)),
	}, now, func(p holdgate.Place) *show.Orphan {
		if p.ID != "dead" {
			return nil
		}
		return &show.Orphan{PID: 7}
	})
	want := []string{
		"NAME         HOLDER         HELD    TOKEN   WAITING   REASON",
		"deploy/web   ann            1m05s   5       1         v2",
		"waits        -              -       -       1",
		"two          a and 1 more   -       -       0",
		"left         dead           -       6       0         (process 7 has ended)",
	}
	if !slices.Equal(rows, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(rows, "\n"), strings.Join(want, "\n"))
	}
}
