package waitgraph_test

import (
	"slices"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/waitgraph"
)

func TestFind(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		lines []holdgate.Line
		want  []string
	}{
		{"nothing", nil, nil},
		{"a plain wait", []holdgate.Line{line("x", "a", "b")}, nil},
		{
			"two against each other",
			[]holdgate.Line{line("x", "a", "b"), line("y", "b", "a")},
			[]string{"possible: a has x, wants y; b has y, wants x"},
		},
		{
			"two against each other, and each says that it waits inside",
			[]holdgate.Line{line("x", "a", "b:1<b@y"), line("y", "b", "a:1<a@x")},
			[]string{"certain: a has x, wants y; b has y, wants x"},
		},
		{
			"only one says so",
			[]holdgate.Line{line("x", "a", "b:1<b@y"), line("y", "b", "a")},
			[]string{"possible: a has x, wants y; b has y, wants x"},
		},
		{
			"three in a circle, and a crowd behind",
			[]holdgate.Line{line("x", "a", "c", "d"), line("y", "b", "a", "e"), line("z", "c", "b", "d")},
			[]string{"possible: a has x, wants y; b has y, wants z; c has z, wants x"},
		},
		{
			"two circles",
			[]holdgate.Line{
				line("p", "d", "f"), line("q", "e", "d"), line("r", "f", "e"),
				line("x", "a", "b"), line("y", "b", "a"),
			},
			[]string{
				"possible: a has x, wants y; b has y, wants x",
				"possible: d has p, wants q; e has q, wants r; f has r, wants p",
			},
		},
		{"a process that waits for itself", []holdgate.Line{line("x/2", "a:2", "a:1")}, nil},
		{
			"goroutines that wait for each other, as they say",
			[]holdgate.Line{line("x", "a:1<a@y"), line("y", "a:1<a@x")},
			[]string{"certain: a has x, wants y; a has y, wants x"},
		},
		{
			"one of two permits may come back",
			[]holdgate.Line{line("x/2", "a", "c", "b"), line("y", "b", "a")},
			nil,
		},
		{
			"neither of two permits can",
			[]holdgate.Line{line("x/2", "a", "c", "b"), line("y", "b", "a", "c")},
			[]string{"possible: a has x, wants y; b has y, wants x"},
		},
		{
			"readers share, and a writer in between makes it a circle",
			[]holdgate.Line{line("x/9", "a:1", "w:9", "b:1"), line("y", "b", "a")},
			[]string{"possible: a has x, wants y; b has y, wants x"},
		},
		{
			"a command runs another one",
			[]holdgate.Line{line("x", "outer1", "inner2:1<outer2@y"), line("y", "outer2", "inner1:1<outer1@x")},
			[]string{"certain: inner1 has x, wants y; inner2 has y, wants x"},
		},
		{
			"what is told of is gone",
			[]holdgate.Line{line("x", "outer1", "inner2:1<gone"), line("y", "outer2", "inner1:1<outer1@x")},
			nil,
		},
		{"places that say what cannot be", []holdgate.Line{line("x", "c", "a:1<a@y"), line("y", "c", "a:1<a@x")}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if got := told(waitgraph.Find(c.lines)); !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

// Nobody knows what other software waits for; and a place of another kind lets nobody past.
func TestFindOthers(t *testing.T) {
	t.Parallel()
	foreign := shown(driver.Line{Name: "x", Places: []driver.Place{
		{ID: "f", Foreign: true},
		{ID: "b@x", Session: "b", Owner: "b", Kind: driver.KindMutex, Capacity: 1, Units: 1},
	}}, make([]string, 2))
	if got := told(waitgraph.Find([]holdgate.Line{foreign, line("y", "b", "a")})); len(got) > 0 {
		t.Errorf("behind other software: %q", got)
	}
	mixed := shown(driver.Line{Name: "x", Places: []driver.Place{
		{ID: "a@x", Session: "a", Owner: "a", Kind: driver.KindSemaphore, Capacity: 2, Units: 0},
		{ID: "b@x", Session: "b", Owner: "b", Kind: driver.KindMutex, Capacity: 1, Units: 1},
	}}, make([]string, 2))
	want := []string{"possible: a has x, wants y; b has y, wants x"}
	if got := told(waitgraph.Find([]holdgate.Line{mixed, line("y", "b", "a")})); !slices.Equal(got, want) {
		t.Errorf("behind another kind: got %q, want %q", got, want)
	}
}

// What only passes by in one of two looks is left out.
func TestBetween(t *testing.T) {
	t.Parallel()
	before := []holdgate.Line{line("x", "a", "b:1<b@y"), line("y", "b", "a"), line("z", "c")}
	after := []holdgate.Line{line("w", "c"), line("x", "a", "b"), line("y", "b", "d", "a:1<a@x")}
	got := waitgraph.Between(before, after)
	want := []holdgate.Line{line("x", "a", "b"), line("y", "b", "a")}
	if len(got) != len(want) {
		t.Fatalf("got  %+v\nwant %+v", got, want)
	}
	for i := range want {
		if got[i].Name != want[i].Name || !slices.Equal(got[i].Places, want[i].Places) {
			t.Errorf("got  %+v\nwant %+v", got[i], want[i])
		}
	}
	moved := []holdgate.Line{line("x", "a", "b"), line("y", "a", "b")}
	if got := waitgraph.Find(waitgraph.Between(before, moved)); len(got) > 0 {
		t.Errorf("one went on: %q", told(got))
	}
}
