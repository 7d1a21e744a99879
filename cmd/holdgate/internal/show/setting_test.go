package show_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/config"
)

// A value is one line, and never what a terminal could take for a command; each is told apart
// from all others.
func TestValue(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		`{"workers": 3}`: `{"workers": 3}`,
		"10":             "10",
		"a  b":           "a  b",
		"":               `""`,
		`""`:             `"\"\""`,
		"two\nlines":     `"two\nlines"`,
		"\x1b[2J":        `"\x1b[2J"`,
		"\xff":           `"\xff"`,
	} {
		if got := show.Value([]byte(value)); got != want {
			t.Errorf("Value(%q) = %s, want %s", value, got, want)
		}
	}
}

func TestPage(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{
		"10":              "10\n",
		"":                "\n",
		"a:\n\tb: c\n":    "a:\n\tb: c\n",
		"one\n\n":         "one\n\n",
		"\x1b[2Jgone\n":   `"\x1b[2Jgone\n"` + "\n",
		"\xff":            `"\xff"` + "\n",
		"back\rto begin":  `"back\rto begin"` + "\n",
		"\u202eright\n\n": `"\u202eright\n\n"` + "\n",
	} {
		if got := show.Page([]byte(value)); got != want {
			t.Errorf("Page(%q) = %q, want %q", value, got, want)
		}
	}
}

// The JSON of a setting is a promise: a version is a string, bytes that are no text are apart, what does
// not apply is absent.
func TestSettingJSON(t *testing.T) {
	t.Parallel()
	for want, e := range map[string]config.Entry{
		`{"key":"a","version":"9007199254740993","value":"<1>"}`: {Key: "a", Version: 9007199254740993, Value: []byte("<1>")},
		`{"key":"a","version":"1","value":""}`:                   {Key: "a", Version: 1},
		`{"key":"a","version":"1","base64":"/wA="}`:              {Key: "a", Version: 1, Value: []byte{0xff, 0}},
	} {
		var out bytes.Buffer
		if err := show.Record(&out, show.NewSetting(e)); err != nil || out.String() != want+"\n" {
			t.Errorf("got %s%v, want %s", &out, err, want)
		}
	}
}

func TestSettings(t *testing.T) {
	t.Parallel()
	got := show.Settings([]config.Entry{
		{Key: "limit", Version: 7, Value: []byte("10")},
		{Key: "long text", Version: 1234, Value: []byte(strings.Repeat("x", 61))},
	})
	want := []string{
		"KEY         VERSION   VALUE",
		"limit       7         10",
		"long text   1234      " + strings.Repeat("x", 57) + "...",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// TestSettingChanges is what a watch says of what it sees.
func TestSettingChanges(t *testing.T) {
	t.Parallel()
	var changes show.SettingChanges
	for i, step := range []struct {
		see  map[string]uint64 // keys with their versions
		want string
	}{
		{map[string]uint64{"a": 1, "b": 2}, "a=1 at first, b=2 at first"},
		{map[string]uint64{"a": 1, "b": 2}, ""},
		{map[string]uint64{"a": 3, "b": 2}, "a=3"},
		{map[string]uint64{"a": 1, "b": 2}, ""}, // older than what was told
		{map[string]uint64{"a": 3, "b": 2}, ""},
		{map[string]uint64{"b": 4, "c": 5}, "a went, b=4, c=5"},
		{map[string]uint64{"a": 6, "b": 4, "c": 5}, "a=6"},
		{nil, "a went, b went, c went"},
	} {
		var entries []config.Entry
		for _, key := range []string{"a", "b", "c"} {
			if v := step.see[key]; v != 0 {
				entries = append(entries, config.Entry{Key: key, Version: v})
			}
		}
		var said []string
		for _, c := range changes.Next(entries, time.Now()) {
			text := c.Key + "=" + c.Version
			if c.Deleted {
				text = c.Key + " went"
			}
			if c.Initial {
				text += " at first"
			}
			said = append(said, text)
		}
		if got := strings.Join(said, ", "); got != step.want {
			t.Errorf("step %d: got %s, want %s", i, fmt.Sprintf("%q", got), fmt.Sprintf("%q", step.want))
		}
	}
}
