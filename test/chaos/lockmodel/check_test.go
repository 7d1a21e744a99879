package lockmodel_test

import (
	"bytes"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/lockmodel"
)

func of(at time.Duration, kind history.Kind, hold string) history.Event {
	return history.Event{At: at, Kind: kind, Hold: hold, Name: "x"}
}

func with(token uint64, e history.Event) history.Event {
	e.Token, e.Place = token, "place of "+e.Hold
	return e
}

func after(since time.Duration, e history.Event) history.Event {
	e.Since = since
	return e
}

// good is a history in which all is well: a holds and writes, b waits and is next.
func good() []history.Event {
	return []history.Event{
		of(1, history.Ask, "a"),
		with(10, of(2, history.Grant, "a")),
		of(3, history.Ask, "b"),
		with(10, of(4, history.Accept, "a")),
		of(5, history.Release, "a"),
		with(20, of(6, history.Grant, "b")),
		with(20, of(7, history.Accept, "b")),
		with(10, of(8, history.Reject, "a")),
		of(9, history.Release, "b"),
	}
}

func and(events ...history.Event) []history.Event { return history.Merge(good(), events) }

func without(kind history.Kind, hold string) []history.Event {
	return slices.DeleteFunc(good(), func(e history.Event) bool { return e.Kind == kind && e.Hold == hold })
}

// passedOn is the good history, with one more who is given the place of a when b was
// granted.
func passedOn() []history.Event {
	again := with(11, of(8, history.Grant, "c"))
	again.Place = "place of a"
	return and(of(6, history.Ask, "c"), again, of(9, history.Release, "c"))
}

func lost(at, since time.Duration) []history.Event {
	return history.Merge(without(history.Release, "a"), []history.Event{after(since, of(at, history.Lost, "a"))})
}

func TestCheck(t *testing.T) {
	t.Parallel()
	broken := history.Event{At: 6, Since: 5, Kind: history.Broken, Name: "x", Place: "place of a"}
	tests := []struct {
		name   string
		events []history.Event
		ok     bool
	}{
		{"nothing", nil, true},
		{"good", good(), true},
		{"another name", and(history.Event{At: 2, Kind: history.Ask, Hold: "c", Name: "y"}, history.Event{At: 3, Kind: history.Grant, Hold: "c", Name: "y", Token: 1}), true},
		{"never granted", and(of(2, history.Ask, "c"), of(8, history.Refuse, "c")), true},

		{"never released", without(history.Release, "a"), true}, // it may have ended
		{"two believe", and(of(2, history.Ask, "c"), with(15, of(4, history.Grant, "c")), of(7, history.Release, "c")), false},
		{"told in time", lost(5, 4), true},
		{"told late, but not sure since", lost(9, 4), true},
		{"told late, and was sure", lost(9, 8), false},
		{"told late, and its place was taken away", history.Merge(lost(9, 8), []history.Event{broken}), true},

		{"passed on", passedOn(), false},
		{"passed on when its place was taken away", history.Merge(passedOn(), []history.Event{broken}), true},
		{"passed on and written when its place was taken away", history.Merge(passedOn(), []history.Event{broken, with(11, of(6, history.Accept, "c"))}), true},

		{"equal tokens", and(of(9, history.Ask, "c"), with(20, of(10, history.Grant, "c"))), false},
		{"smaller token", and(of(9, history.Ask, "c"), with(15, of(10, history.Grant, "c"))), false},

		{"a late write is taken", and(with(10, of(8, history.Accept, "a"))), false},
		{"the holder's write is refused", and(with(20, of(8, history.Reject, "b"))), false},
		{"a write before its grant", and(of(8, history.Ask, "c"), with(30, of(8, history.Accept, "c")), of(9, history.Ask, "d"), with(30, of(11, history.Grant, "c"))), false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			v := lockmodel.Check(tt.events)
			if ok := v.Err == nil; ok != tt.ok {
				t.Errorf("got %v, want that it is possible: %v", v.Err, tt.ok)
			}
			if v.Err != nil && !errors.Is(v.Err, lockmodel.ErrImpossible) {
				t.Errorf("got the error %v", v.Err)
			}
		})
	}
}

// The picture has what the model says of each operation.
func TestDraw(t *testing.T) {
	t.Parallel()
	var page bytes.Buffer
	if err := lockmodel.Check(lost(9, 8)).Draw(&page); err != nil {
		t.Fatal(err)
	}
	if text := "a is granted, token 10"; !strings.Contains(page.String(), text) {
		t.Errorf("the picture says nothing of %q", text)
	}
}
