package etcddriver

import (
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func layoutOf(t *testing.T, o *Options) layout {
	t.Helper()
	opts, err := o.withDefaults()
	if err != nil {
		t.Fatal(err)
	}
	return newLayout(opts)
}

func TestLayoutKeys(t *testing.T) {
	t.Parallel()
	const id = "0123456789abcdef0123456789abcdef"
	for _, c := range []struct {
		name, got, want string
	}{
		{"line", layoutOf(t, nil).line("a/b"), "/holdgate/a%2Fb/"},
		{"session", layoutOf(t, nil).session(0x7c3b), "/holdgate/%sessions/0000000000007c3b"},
		{"mark", layoutOf(t, nil).mark(0x7c3b, id), "/holdgate/%sessions/0000000000007c3b/" + id},
		{"entry", layoutOf(t, nil).entry("a/b"), "/holdgate/%kv/a%2Fb"},
		{"own prefix", layoutOf(t, &Options{Prefix: "/app"}).line("a"), "/app/a/"},
		{"records elsewhere", layoutOf(t, &Options{Records: "/app"}).session(1), "/app/%sessions/0000000000000001"},
		{"verbatim", layoutOf(t, &Options{Verbatim: true}).line("/locks/a"), "/locks/a/"},
		{"verbatim with a prefix", layoutOf(t, &Options{Verbatim: true, Prefix: "/locks/"}).line("a"), "/locks/a/"},
		{"single", layoutOf(t, &Options{Layout: driver.LayoutSingle}).line("/locks/a"), "/locks/a"},
		{"single with a prefix", layoutOf(t, &Options{Layout: driver.LayoutSingle, Prefix: "/locks/"}).line("a"), "/locks/a"},
		{"single session", layoutOf(t, &Options{Layout: driver.LayoutSingle}).session(1), "/holdgate/%sessions/0000000000000001"},
		{"verbatim session", layoutOf(t, &Options{Verbatim: true}).session(1), "/holdgate/%sessions/0000000000000001"},
	} {
		if c.got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, c.got, c.want)
		}
	}
}

func TestLayoutParse(t *testing.T) {
	t.Parallel()
	escaped, verbatim := layoutOf(t, nil), layoutOf(t, &Options{Verbatim: true})
	single := layoutOf(t, &Options{Layout: driver.LayoutSingle})
	for _, c := range []struct {
		l         layout
		key, want string // want is empty for what is in no line
	}{
		{escaped, "/holdgate/orders/694d9", "orders"},
		{escaped, "/holdgate/a%2Fb/694d9", "a/b"},
		{escaped, "/holdgate/orders/below/694d9", "orders"},
		{escaped, "/holdgate/orders", ""},
		{escaped, "/holdgate//694d9", ""},
		{escaped, "/holdgate/%zz/694d9", ""},
		{escaped, "/holdgate/%sessions/694d9", ""},
		{escaped, "/holdgate/%kv/694d9", ""},
		{escaped, "/elsewhere/orders/694d9", ""},
		{verbatim, "/locks/orders/694d9", "/locks/orders"},
		{verbatim, "orders/694d9", "orders"},
		{verbatim, "orders", ""},
		{verbatim, "/holdgate/%sessions/694d9", ""},
		{single, "/locks/orders", "/locks/orders"},
		{single, "orders", "orders"},
		{single, "/holdgate/%sessions/694d9", ""},
	} {
		if got, ok := c.l.parse(c.key); got != c.want || ok != (c.want != "") {
			t.Errorf("parse(%q): got %q, %v, want %q", c.key, got, ok, c.want)
		}
	}
}

func TestVerbatimKeepsItsRecordsApart(t *testing.T) {
	t.Parallel()
	l := layoutOf(t, &Options{Verbatim: true})
	for name, refused := range map[string]bool{
		"/locks/orders":               false,
		"/holdgate":                   true, // above the records
		"/holdgate/orders":            false,
		"/holdgate/%sessions":         true,
		"/holdgate/%sessions/694d9":   true,
		"/holdgate/%kv/limit":         true,
		"":                            true,
		strings.Repeat("n", 1+512):    true,
		"/holdgate/%sessions-of-mine": false,
	} {
		if err := l.check(name); oneOf(err, driver.ErrInvalid) != refused {
			t.Errorf("check(%q): got the error %v, want it refused: %v", name, err, refused)
		}
	}
}

func TestRanges(t *testing.T) {
	t.Parallel()
	contains := func(r keyRange, key string) bool {
		return key == r.from || r.end != "" && key >= r.from && (key < r.end || r.end == "\x00")
	}
	for _, c := range []struct {
		name    string
		r       keyRange
		in, out []string
	}{
		{"under a line", under("/hg/a/"), []string{"/hg/a/1", "/hg/a/1.evicted", "/hg/a/\xff"}, []string{"/hg/a", "/hg/a0", "/hg/ab/1"}},
		{"under everything", under(""), []string{"\x00", "a", "\xff\xff"}, nil},
		{"under the highest byte", under("a\xff"), []string{"a\xff", "a\xffz"}, []string{"a", "b"}},
		{"one", one("/hg/a/1"), []string{"/hg/a/1"}, []string{"/hg/a/1:1", "/hg/a/1.evicted"}},
		{"traces", traces("/hg/a/1"), []string{"/hg/a/1", "/hg/a/1.evicted"}, []string{"/hg/a/1:1", "/hg/a/1:1.evicted", "/hg/a/2", "/hg/a/10"}},
		{"traces of a second spot", traces("/hg/a/1:1"), []string{"/hg/a/1:1", "/hg/a/1:1.evicted"}, []string{"/hg/a/1", "/hg/a/1:10", "/hg/a/1:2"}},
		{"a session with its marks", withMarks("/hg/s/1"), []string{"/hg/s/1", "/hg/s/1/x"}, []string{"/hg/s/10", "/hg/s/2"}},
	} {
		for _, key := range c.in {
			if !contains(c.r, key) {
				t.Errorf("%s: %q is not in [%q, %q)", c.name, key, c.r.from, c.r.end)
			}
		}
		for _, key := range c.out {
			if contains(c.r, key) {
				t.Errorf("%s: %q is in [%q, %q)", c.name, key, c.r.from, c.r.end)
			}
		}
	}
}
