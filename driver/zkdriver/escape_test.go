package zkdriver

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{
		"orders":     "orders",
		"a/b":        "a%2Fb",
		"a%2Fb":      "a%252Fb",
		".":          "%2E",
		"..":         "%2E.",
		"a.b":        "a.b",
		"锁":          "锁",
		"\u0085":     "%C2%85",
		"\ue000":     "%EE%80%80",
		"\ufffd":     "%EF%BF%BD",
		"\U0001f512": "%F0%9F%94%92",
	} {
		if got := escape(name); got != want {
			t.Errorf("escape(%q) = %q, want %q", name, got, want)
		}
		if back, err := unescape(want); err != nil || back != name {
			t.Errorf("unescape(%q) = %q, %v, want %q", want, back, err, name)
		}
	}
	for _, node := range []string{"%", "%2", "%zz", "%2f", "a/b", "%41", ".", "%sessions", "%kv"} {
		if name, err := unescape(node); err == nil {
			t.Errorf("unescape(%q) = %q, want an error: no name is escaped so", node, name)
		}
	}
}

func FuzzEscape(f *testing.F) {
	for _, seed := range []string{"orders", "a/b", ".", "%", "\u0085", "\ue000", "\U0001f512", "锁"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if driver.CheckName(name) != nil {
			t.Skip()
		}
		node := escape(name)
		if back, err := unescape(node); err != nil || back != name {
			t.Fatalf("%q is escaped as %q, which is %q, %v", name, node, back, err)
		}
		if strings.ContainsFunc(node, refused) || !utf8.ValidString(node) || node == "." || node == ".." {
			t.Fatalf("%q is escaped as %q, which no server takes", name, node)
		}
	})
}

func FuzzUnescape(f *testing.F) {
	for _, seed := range []string{"orders", "a%2Fb", "%2E", "%", "%zz"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, node string) {
		if name, err := unescape(node); err == nil && escape(name) != node {
			t.Fatalf("%q is the name %q, which is escaped as %q", node, name, escape(name))
		}
	})
}
