package etcddriver

import "testing"

func TestSpotsAreUsedAgain(t *testing.T) {
	t.Parallel()
	ss := newSpots("694d")
	for range 3 {
		if got := ss.take("orders", idOf(1)); got != "694d" {
			t.Errorf("the first place: got the spot %q, want the lease", got)
		}
	}
	if got := ss.take("orders", idOf(2)); got != "694d:1" {
		t.Errorf("beside it: got the spot %q, want 694d:1", got)
	}
	if got := ss.take("invoices", idOf(3)); got != "694d" {
		t.Errorf("in another line: got the spot %q, want the lease", got)
	}
	ss.free("orders", idOf(1))
	if got := ss.take("orders", idOf(4)); got != "694d" {
		t.Errorf("after the first left: got the spot %q, want the lease again", got)
	}
	for _, id := range []int{2, 4} {
		ss.free("orders", idOf(id))
	}
	ss.free("invoices", idOf(3))
	if len(ss.lines)+len(ss.byID) != 0 {
		t.Errorf("%d lines and %d places are left of a session without places", len(ss.lines), len(ss.byID))
	}
}

func TestSpotsInDoubtAreKept(t *testing.T) {
	t.Parallel()
	ss := newSpots("694d")
	ss.take("orders", idOf(1))
	ss.doubt("orders", idOf(1))
	ss.free("orders", idOf(1))
	if got := ss.take("orders", idOf(2)); got != "694d:1" {
		t.Errorf("while a request may make a place at the first spot: got %q, want the second", got)
	}
	ss.certain("orders", idOf(1))
	ss.free("orders", idOf(1))
	if got := ss.take("orders", idOf(3)); got != "694d" {
		t.Errorf("after none can: got the spot %q, want the first", got)
	}
}

func TestSpoiledSpotsAreNeverUsedAgain(t *testing.T) {
	t.Parallel()
	ss := newSpots("694d")
	ss.take("orders", idOf(1))
	ss.stands("orders", idOf(1), 10)
	ss.spoil("orders", idOf(1))
	ss.free("orders", idOf(1))
	for id := 2; id < 5; id++ {
		if got := ss.take("orders", idOf(id)); got != "694d:1" {
			t.Errorf("got the spot %q, want 694d:1: a late delete may empty the first", got)
		}
		ss.free("orders", idOf(id))
	}
}

func TestSpotsAreAdopted(t *testing.T) {
	t.Parallel()
	ss := newSpots("694d:h")
	ss.take("orders", idOf(1))
	ss.adopt("orders", idOf(1), "694d", 9)
	ss.adopt("orders", idOf(2), "694d:2", 10)
	if at, name, ok := ss.find("orders", idOf(2)); !ok || name != "694d:2" || at.order != 10 {
		t.Errorf("an adopted place: got %+v at %q, known %v", at, name, ok)
	}
	if _, name, _ := ss.find("orders", idOf(1)); name != "694d:h" {
		t.Errorf("a place of the handle's own: got the spot %q, want that it stays", name)
	}
	if got := ss.take("orders", idOf(2)); got != "694d:2" {
		t.Errorf("an adopted place entered again: got the spot %q, want its own", got)
	}
	ss.free("orders", idOf(2))
	if _, _, ok := ss.find("orders", idOf(2)); ok {
		t.Error("an adopted place that is gone is still known")
	}
	if got := ss.take("orders", idOf(3)); got != "694d:h:1" {
		t.Errorf("after an adopted place is gone: got the spot %q, want the handle's own next one", got)
	}
}

func TestSpotsEvadeAStranger(t *testing.T) {
	t.Parallel()
	ss := newSpots("694d")
	first := ss.take("orders", idOf(1))
	if got := ss.evade("orders", idOf(1), idOf(9), first); got != "694d:1" {
		t.Errorf("got the spot %q, want the next one", got)
	}
	if got := ss.take("orders", idOf(2)); got != "694d:2" {
		t.Errorf("got the spot %q, want one that neither has", got)
	}
}
