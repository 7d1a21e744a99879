package filedriver

import (
	"slices"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// files of a line: places by order, kind, capacity and units.
func placeFile(order uint64, id string, kind driver.Kind, capacity, units int64) string {
	return fileName(&driver.Place{ID: id, Session: sessionA, Order: order, Kind: kind, Capacity: capacity, Units: units})
}

func TestAssemble(t *testing.T) {
	t.Parallel()
	names := []string{
		"lock.pid", ".hidden",
		placeFile(9, idB, driver.KindSemaphore, 4, 3), stem(9, idB) + sideWait,
		stem(5, idA) + sideUnits + "2", stem(5, idA) + sideUnits + "1", stem(5, idA) + sideData,
		placeFile(5, idA, driver.KindSemaphore, 4, 4), stem(5, idA) + sideMark,
		stem(7, idA) + sideWait, // of a place that is gone
		stem(5, idA) + ".other",
	}
	v := assemble("orders", names, func(file string) uint64 {
		if file == "lock.pid" {
			return 6
		}
		return maxOrder
	})
	var got []string
	for _, p := range v.places {
		got = append(got, p.ID)
	}
	if want := []string{idA, "lock.pid", idB, stem(5, idA) + ".other"}; !slices.Equal(got, want) {
		t.Fatalf("places %q, want %q", got, want)
	}
	if u := v.places[0].Units; u != 1 {
		t.Errorf("units %d, want the least that is told, 1", u)
	}
	if n := v.notes[0]; !n.marked || n.waiting {
		t.Errorf("the first place has %+v, want it marked", n)
	}
	if n := v.notes[2]; n.marked || !n.waiting {
		t.Errorf("the third place has %+v, want it waiting", n)
	}
	if want := []string{stem(7, idA) + sideWait}; !slices.Equal(v.strays, want) {
		t.Errorf("strays %q, want %q", v.strays, want)
	}
	if !v.fits(0) || v.fits(1) || v.fits(2) {
		t.Error("want the first place granted, and nothing past the one that is not ours")
	}
}

// TestWatched: who waits watches those ahead, back to one that waits itself.
func TestWatched(t *testing.T) {
	t.Parallel()
	const holder, waiter, last = "111111111111111111111111", "222222222222222222222222", "333333333333333333333333"
	v := view{
		places: []driver.Place{
			{Session: holder, Kind: driver.KindMutex, Capacity: 1, Units: 1, Order: 1},
			{Session: waiter, Kind: driver.KindMutex, Capacity: 1, Units: 1, Order: 2},
			{Session: last, Kind: driver.KindMutex, Capacity: 1, Units: 1, Order: 3},
		},
		notes: []note{{}, {waiting: true}, {waiting: true}},
	}
	watched := func(i int) []string { ahead := v.watched(i); return ahead.sessions() }
	if got := watched(2); !slices.Equal(got, []string{waiter}) {
		t.Errorf("the last watches %q, want the one before", got)
	}
	if got := watched(1); !slices.Equal(got, []string{holder}) {
		t.Errorf("the waiter watches %q, want the holder", got)
	}
	if got := watched(0); got != nil {
		t.Errorf("the holder watches %q, want nobody", got)
	}
	v.notes[1].waiting = false // it has entered, and does not wait yet
	if got := watched(2); !slices.Equal(got, []string{holder, waiter}) {
		t.Errorf("the last watches %q, want both", got)
	}
	if v.unannounced() {
		t.Error("everybody who goes tells")
	}
	v.notes[0].marked = true
	if !v.unannounced() {
		t.Error("a place that is marked may go untold")
	}
}
