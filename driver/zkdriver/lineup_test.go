package zkdriver

import (
	"fmt"
	"slices"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// named is a node of a semaphore of 3.
func named(id string, units int64, sequence int32) string {
	c := driver.Claim{ID: id, Kind: driver.KindSemaphore, Capacity: 3, Units: units}
	return fmt.Sprintf("%s%010d", placeNode(c), sequence)
}

func TestLineupOrder(t *testing.T) {
	t.Parallel()
	const last = 1<<31 - 1 // the sequence then goes on at the smallest number
	l := newLineup("gpu", "/gpu", []string{
		named(anID("d"), 1, -1<<31+1), named(anID("b"), 1, last), "readme", named(anID("c"), 1, -1<<31), named(anID("a"), 1, last-1),
	})
	var got []string
	for _, p := range l.places {
		got = append(got, p.ID)
	}
	if want := []string{"readme", anID("a"), anID("b"), anID("c"), anID("d")}; !slices.Equal(got, want) {
		t.Errorf("got the order %v, want %v", got, want)
	}
	if !l.places[0].Foreign || !l.fits(0) || l.fits(1) {
		t.Error("what has no position is not the holder")
	}
}

func TestLineupUnits(t *testing.T) {
	t.Parallel()
	l := newLineup("gpu", "/gpu", []string{
		named(anID("a"), 3, 1), named(anID("b"), 2, 2), named(anID("c"), 1, 3), unitsNode(anID("a"), 1), unitsNode(anID("f"), 0),
	})
	if len(l.places) != 3 || l.places[0].Units != 1 || l.nodes[0].claimed != 3 {
		t.Fatalf("got %+v of %+v", l.places, l.nodes)
	}
	if !l.fits(0) || !l.fits(1) || l.fits(2) {
		t.Errorf("granted are %v %v %v, want the first two", l.fits(0), l.fits(1), l.fits(2))
	}
}

func TestBlocker(t *testing.T) {
	t.Parallel()
	mutex := func(id string, units int64, sequence int32) string {
		return fmt.Sprintf("%s%010d", placeNode(driver.Claim{ID: id, Kind: driver.KindMutex, Capacity: 1, Units: units}), sequence)
	}
	l := newLineup("orders", "/orders", []string{mutex(anID("a"), 1, 1), mutex(anID("b"), 0, 2), mutex(anID("c"), 1, 3), mutex(anID("d"), 1, 4)})
	for i, want := range []int{-1, 0, 0, 2} {
		if got := l.blocker(i); got != want {
			t.Errorf("place %d waits for place %d, want %d", i, got, want)
		}
	}
}
