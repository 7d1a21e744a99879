package history_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

// A history reads like a story, with what is wrong where it shows.
func TestStory(t *testing.T) {
	t.Parallel()
	events := with(
		at(15*ms, in(history.Evict, "aP")),
		at(17*ms, about(history.Stop, "b")),
		at(18*ms, about(history.Resume, "b")),
		at(18*ms, until(90*ms, in(history.Broken, "aP"))),
		at(19*ms, because(history.ByRemoval, of(history.Lost, "a1"))),
		at(35*ms, of(history.Ask, "b2")),
		at(36*ms, because("the worker gave up", of(history.Refuse, "b2"))),
		at(60*ms, because("all was released", in(history.Left, "aQ"))),
	)
	var b strings.Builder
	if err := history.Story(&b, events, history.Check(events)); err != nil {
		t.Fatal(err)
	}
	golden := filepath.Join("testdata", "story.txt")
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if b.String() != string(want) {
		t.Errorf("got\n%s\nwant, as in %s,\n%s", &b, golden, want)
	}
}

// Every kind has a sentence of its own.
func TestEveryKindIsTold(t *testing.T) {
	t.Parallel()
	for _, kind := range []history.Kind{
		history.Start, history.Ask, history.Grant, history.Refuse, history.GiveUp, history.Held, history.Lost, history.Release,
		history.Released, history.Close, history.Closed, history.Evict, history.Stop, history.Resume, history.Accept,
		history.Reject, history.Stood, history.Freed, history.Broken, history.Calm, history.Left,
	} {
		var b strings.Builder
		_ = history.Story(&b, []history.Event{{Kind: kind, Client: "c", Hold: "h", Name: "n", Place: "p"}}, nil)
		if text := strings.Fields(b.String()); len(text) < 3 {
			t.Errorf("%s is told as %q", kind, b.String())
		}
	}
}
