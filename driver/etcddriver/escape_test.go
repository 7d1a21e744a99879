package etcddriver

import (
	"strings"
	"testing"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"orders":    "orders",
		"a/b":       "a%2Fb",
		"a%2Fb":     "a%252Fb",
		"/":         "%2F",
		"%":         "%25",
		"a b":       "a b",
		"锁":         "锁",
		"\n\x7f":    "%0A%7F",
		"..":        "..",
		"%sessions": "%25sessions",
	} {
		if got := escape(name); got != want {
			t.Errorf("escape(%q): got %q, want %q", name, got, want)
		}
	}
}

func TestUnescapeRefuses(t *testing.T) {
	t.Parallel()
	// What escape does not write has no name, else two keys would be one line.
	for _, segment := range []string{"%", "%2", "a%", "%zz", "%2f", "%41", "%sessions", "%kv", "%%25"} {
		if name, err := unescape(segment); err == nil {
			t.Errorf("unescape(%q): got the name %q, want an error", segment, name)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, name := range []string{"orders", "a/b", "a%2Fb", "锁", "\x00\xff", "%sessions/x"} {
		f.Add(name, "/more")
	}
	f.Fuzz(func(t *testing.T, name, more string) {
		segment := escape(name)
		if strings.Contains(segment, "/") {
			t.Errorf("escape(%q): %q has a slash", name, segment)
		}
		if back, err := unescape(segment); back != name || err != nil {
			t.Errorf("unescape(%q): got %q, error %v, want %q", segment, back, err, name)
		}
		if !strings.HasPrefix(escape(name+more), segment) {
			t.Errorf("escape(%q) does not begin with %q", name+more, segment)
		}
	})
}
