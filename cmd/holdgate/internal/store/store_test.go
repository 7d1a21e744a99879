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
	} {
		s, err := store.Parse(text)
		if err != nil || s.String() != want || s.Default {
			t.Errorf("Parse(%q) = %v, %v, want %s", text, s, err, want)
		}
	}
	for _, text := range []string{"gopher://me:secret@h", "locks", "file://me:secret@%zz", "://", "\x00"} {
		_, err := store.Parse(text)
		if !errors.Is(err, store.ErrURL) || !strings.Contains(err.Error(), "allowed are file:///") || strings.Contains(err.Error(), "secret") {
			t.Errorf("Parse(%q): %v", text, err)
		}
	}
}

func TestDefault(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	s, err := store.Parse("")
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
	s, err := store.Parse("file://me:secret@host/path")
	if err != nil {
		t.Fatal(err)
	}
	got := s.Environ([]string{"A=1", "HOLDGATE_STORE=file://me:secret@host/", "HOLDGATE_STORE_PASSWORD=secret", "B=2"})
	if want := []string{"A=1", "B=2", "HOLDGATE_STORE=file://host/path"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, text := range []string{"", "file:", "file:///var/lock", "etcd://h1:2379,h2:2379", "file://me:secret@host/path?mode=shared#x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := store.Parse(text)
		if err != nil {
			return
		}
		again, err := store.Parse(s.String())
		if err != nil || again.String() != s.String() {
			t.Errorf("%q becomes %q, and that %v, %v", text, s, again, err)
		}
	})
}
