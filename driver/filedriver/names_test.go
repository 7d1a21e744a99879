package filedriver

import (
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func TestEscape(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, want string }{
		{"orders", "orders"},
		{"a/b", "a%2fb"},
		{"a%2fb", "a%252fb"},
		{"Orders", "%4frders"},
		{"..", "%2e%2e"},
		{"a b", "a%20b"},
		{"锁", "%e9%94%81"},
		{strings.Repeat("a", maxEscaped), strings.Repeat("a", maxEscaped)},
	} {
		got, hashed := escape(c.name)
		if got != c.want || hashed {
			t.Errorf("escape(%q) = %q, hashed %v, want %q", c.name, got, hashed, c.want)
		}
		if back, ok := unescape(got); !ok || back != c.name {
			t.Errorf("unescape(%q) = %q, %v, want %q", got, back, ok, c.name)
		}
	}
	long := strings.Repeat("Z", driver.MaxName)
	a, hashed := escape(long)
	b, _ := escape(long[1:])
	if !hashed || !isHashed(a) || len(a) > maxEscaped || a == b {
		t.Errorf("long names became %q (hashed %v) and %q", a, hashed, b)
	}
}

func TestUnescapeRefuses(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{
		"", "A", "a.b", "%", "%2", "%2F", "%61", "%zz", "a b", "a~0123", "..", strings.Repeat("a", maxEscaped+1),
	} {
		if name, ok := unescape(dir); ok {
			t.Errorf("unescape(%q) = %q, want it refused", dir, name)
		}
	}
}

// FuzzEscape: a name has one directory, a directory one name, and every file system
// takes it.
func FuzzEscape(f *testing.F) {
	for _, name := range []string{"orders", "a/b", "A", "锁", "..", "%", strings.Repeat("/", driver.MaxName)} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		if driver.CheckName(name) != nil {
			return
		}
		dir, hashed := escape(name)
		if dir == "" || len(dir) > maxEscaped || strings.Trim(dir, "abcdefghijklmnopqrstuvwxyz0123456789-_%~") != "" {
			t.Fatalf("escape(%q) = %q", name, dir)
		}
		if isHashed(dir) != hashed {
			t.Fatalf("%q: hashed %v, but that is not seen", dir, hashed)
		}
		if back, ok := unescape(dir); ok == hashed || ok && back != name {
			t.Fatalf("unescape(%q) = %q, %v, want %q", dir, back, ok, name)
		}
	})
}

// FuzzUnescape: what is read as a line's directory is what escape would have made.
func FuzzUnescape(f *testing.F) {
	for _, dir := range []string{"orders", "a%2fb", "%41", "%", "%2F", "lost+found", ".name"} {
		f.Add(dir)
	}
	f.Fuzz(func(t *testing.T, dir string) {
		name, ok := unescape(dir)
		if !ok {
			return
		}
		if back, hashed := escape(name); back != dir || hashed {
			t.Fatalf("%q is read as %q, whose directory is %q", dir, name, back)
		}
	})
}
