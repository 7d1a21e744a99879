package etcddriver

import (
	"fmt"
	"slices"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

func idOf(n int) string { return fmt.Sprintf("%032x", n) }

// native is the key of a place of a mutex that was created at a revision.
func native(spot string, id int, created int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key:            []byte("/hg/a/" + spot),
		Value:          placeValue(use{driver.KindMutex, 1}, 1, idOf(id), `{"owner":"o","ttl":10`, nil),
		CreateRevision: created, ModRevision: created, Lease: int64(id),
	}
}

func foreign(spot string, created int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{Key: []byte("/hg/a/" + spot), CreateRevision: created, ModRevision: created, Lease: 99}
}

func mark(spot string, id int, created int64) *mvccpb.KeyValue {
	return &mvccpb.KeyValue{
		Key:            []byte("/hg/a/" + spot + markSuffix),
		Value:          markValue(use{driver.KindMutex, 1}, idOf(id), notice{Reason: "go"}),
		CreateRevision: created, ModRevision: created, Lease: int64(id),
	}
}

func standing(l *lineup) []string {
	var ids []string
	for _, p := range l.places {
		ids = append(ids, p.ID)
	}
	return ids
}

func TestLineupIsInOrderOfCreation(t *testing.T) {
	t.Parallel()
	l := newLineup("a", "/hg/a/", []*mvccpb.KeyValue{
		native("a", 3, 30), foreign("694d", 20), native("b", 1, 10), mark("b", 1, 40),
	})
	if got, want := standing(l), []string{idOf(1), "694d", idOf(3)}; !slices.Equal(got, want) {
		t.Fatalf("got the places %v, want %v", got, want)
	}
	line := l.line()
	if p := line.Places[0]; !p.Granted || p.Eviction == nil || p.Eviction.Reason != "go" || p.Eviction.PlaceID != idOf(1) {
		t.Errorf("got the head %+v, want it granted and marked", p)
	}
	if p := line.Places[1]; !p.Foreign || p.Granted || p.Order != 20 || p.Session == "" {
		t.Errorf("got the foreign place %+v", p)
	}
	if p := line.Places[2]; p.Granted || p.Owner != "o" {
		t.Errorf("got the last place %+v, want it waiting", p)
	}
}

func TestLineupFollowsEvents(t *testing.T) {
	t.Parallel()
	l := newLineup("a", "/hg/a/", nil)
	l.put(native("a", 1, 10))
	l.put(native("b", 2, 20))
	l.put(mark("a", 1, 25))

	changed := native("a", 1, 10)
	changed.ModRevision = 26
	l.put(changed)
	if got := l.places[0]; got.Version != 26 || got.Order != 10 || l.place(0).Eviction == nil {
		t.Errorf("after an update: got %+v, want its position and its mark kept", got)
	}

	// The session leaves and enters again, at the same key: that is another place.
	l.put(native("a", 3, 30))
	if got, want := standing(l), []string{idOf(2), idOf(3)}; !slices.Equal(got, want) {
		t.Errorf("after a key was used again: got %v, want %v", got, want)
	}
	l.remove("/hg/a/a" + markSuffix)
	l.remove("/hg/a/b")
	l.remove("/hg/a/nobody")
	if got, want := standing(l), []string{idOf(3)}; !slices.Equal(got, want) || len(l.marks) != 0 {
		t.Errorf("after the first left: got %v and %d marks, want %v and none", got, len(l.marks), want)
	}
}

func TestBlocker(t *testing.T) {
	t.Parallel()
	idle := native("idle", 7, 15) // takes no units
	idle.Value = placeValue(use{driver.KindMutex, 1}, 0, idOf(7), "{", nil)
	for _, c := range []struct {
		name  string
		ahead []*mvccpb.KeyValue
		want  string
	}{
		{"nobody", nil, ""},
		{"a holder", []*mvccpb.KeyValue{native("a", 1, 10)}, "/hg/a/a"},
		{"the last of two", []*mvccpb.KeyValue{native("a", 1, 10), native("b", 2, 12)}, "/hg/a/b"},
		{"one without units is in nobody's way", []*mvccpb.KeyValue{native("a", 1, 10), idle}, "/hg/a/a"},
		{"only such", []*mvccpb.KeyValue{idle}, ""},
		{"other software", []*mvccpb.KeyValue{native("a", 1, 10), foreign("694d", 12)}, "/hg/a/694d"},
	} {
		l := newLineup("a", "/hg/a/", append(c.ahead, native("me", 9, 20)))
		got, blocked := l.blocker(len(l.places)-1, 21)
		if got.key != c.want || blocked != (c.want != "") || blocked && got.seen != 21 {
			t.Errorf("%s: got %+v, %v, want the key %q", c.name, got, blocked, c.want)
		}
		if granted := l.granted(len(l.places) - 1); granted == blocked {
			t.Errorf("%s: blocked is %v, and granted too", c.name, blocked)
		}
	}
}
