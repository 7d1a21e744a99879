package redisfence

import (
	"errors"
	"strings"
	"testing"

	"github.com/redis/go-redis/v9"
)

func TestNew(t *testing.T) {
	t.Parallel()
	if _, err := New(nil, nil); err == nil {
		t.Error("no client is accepted")
	}
	client := redis.NewClient(&redis.Options{})
	defer client.Close()
	f, err := New(client, nil)
	if err != nil || f.key("a") != "holdgate:fence:a" {
		t.Errorf("the default key: got %q, %v", f.key("a"), err)
	}
}

func TestStaleAnswer(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		newest string
		stale  bool
	}{
		"STALEFENCE 9007199254740993":               {"9007199254740993", true},
		"STALEFENCE 12 script: abc, on @user:3.":    {"12", true},
		"STALEFENCE what":                           {"0", true}, // a refusal all the same
		"STALEFENCES 12":                            {"0", false},
		"ERR STALEFENCE 12":                         {"0", false},
		"WRONGTYPE Operation against a key holding": {"0", false},
	} {
		newest, stale := staleAnswer(errors.New(text))
		if stale != want.stale || newest.String() != want.newest {
			t.Errorf("%q: got %v, %v", text, newest, stale)
		}
	}
}

func TestFlagsStayFirst(t *testing.T) {
	t.Parallel()
	for source, begins := range map[string]string{
		"return 1":                      "do\n",
		"#!lua flags=allow-oom\nreturn": "#!lua flags=allow-oom\ndo\n",
		"#!lua":                         "#!lua\ndo\n",
	} {
		if got := compose(source); !strings.HasPrefix(got, begins) {
			t.Errorf("%q becomes %q", source, got)
		}
	}
}
