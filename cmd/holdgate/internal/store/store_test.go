package store_test

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
)

func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"file:///var/lock/holdgate":  "file:///var/lock/holdgate",
		"file:///a%20b?mode=shared":  "file:///a%20b?mode=shared",
		"file://me:secret@host/path": "file://host/path", // refused when it is opened

		"etcd://h1,h2:2380,[::1]/team":             "etcd://h1:2379,h2:2380,[::1]:2379/team",
		"ETCD://[::1]:1,[::2]:2":                   "etcd://[::1]:1,[::2]:2",
		"etcd://me:secret@h1:1,h2:2?":              "etcd://h1:1,h2:2",
		"etcd://me:se@cret@h1,h2":                  "etcd://h1:2379,h2:2379",
		"etcd://me:se%2Fcr%3Fe%23t@h":              "etcd://h:2379",
		"etcds://me:secret@h?ca=/a&key=/k&cert=/c": "etcds://h:2379?ca=%2Fa",
	} {
		s, err := store.Parse(text, noEnv)
		if err != nil || s.String() != want || s.Default {
			t.Errorf("Parse(%q) = %v, %v, want %s", text, s, err, want)
		}
	}
	for _, text := range []string{
		"gopher://me:secret@h", "locks", "file://me:secret@%zz", "://", "\x00", "me:secret@h", "gopher://me:1/secret@h", "secret@h",
	} {
		_, err := store.Parse(text, noEnv)
		if !errors.Is(err, store.ErrURL) || !strings.Contains(err.Error(), "allowed are file:///") || strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
	for text, want := range map[string]string{
		"etcd://h:x":                `store URL "etcd://h:x": a port is 1 to 65535, not "x"; see holdgate help store`,
		"etcd://":                   `store URL "etcd:": it has no host; see holdgate help store`,
		"etcd:h":                    `it has no host; see holdgate help store`,
		"etcd://h?pw=secret":        `store URL "etcd://h": unknown option "pw"; there are ca,`,
		"etcd://me:secret@":         "it has no host",
		"etcd://me:secret/x@h:2379": "it has an @ after the host; in a password / is written %2F",
		"etcd://me:1/secret@h:2379": "it has an @ after the host; in a password / is written %2F",
		"etcd://me:1?secret@h:2379": "it has an @ after the host; in a password / is written %2F",
		"etcd://me:1#secret@h:2379": "it has an @ after the host; in a password / is written %2F",
		"etcd://me:secret%zz@h":     "it cannot be read",
	} {
		_, err := store.Parse(text, noEnv)
		if !errors.Is(err, store.ErrURL) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%q): got %v, want %s", text, err, want)
		}
	}
}

func noEnv(string) string { return "" }

func TestDefault(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	s, err := store.Parse("", noEnv)
	want := "file://" + filepath.ToSlash(filepath.Join(state, "holdgate", "locks"))
	if err != nil || !s.Default || s.String() != want {
		t.Errorf("got %v, %v, want %s", s, err, want)
	}
	if env := s.Environ([]string{"A=1", "HOLDGATE_STORE=x"}); !slices.Equal(env, []string{"A=1"}) {
		t.Errorf("its environment is %q", env)
	}
}

// What lets in is not passed on.
func TestEnviron(t *testing.T) {
	t.Parallel()
	s, err := store.Parse("etcds://me:secret@host/path?cert=/c&key=/k", noEnv)
	if err != nil {
		t.Fatal(err)
	}
	got := s.Environ([]string{
		"A=1", "HOLDGATE_STORE=etcd://me:secret@host/", "HOLDGATE_STORE_PASSWORD=secret",
		"HOLDGATE_STORE_CA=/ca", "HOLDGATE_STORE_CERT=/c", "HOLDGATE_STORE_KEY=/k", "B=2",
	})
	if want := []string{"A=1", "HOLDGATE_STORE_CA=/ca", "B=2", "HOLDGATE_STORE=etcds://host:2379/path"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "file:", "file:///var/lock", "etcd://h1:2379,h2:2379", "etcds://me:secret@[::1],h/a?ca=/a&verbatim=true", "file://me:secret@host/path?mode=shared#x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := store.Parse(text, noEnv)
		if err != nil {
			return
		}
		again, err := store.Parse(s.String(), noEnv)
		if err != nil || again.String() != s.String() {
			t.Errorf("%q becomes %q, and that %v, %v", text, s, again, err)
		}
	})
}
