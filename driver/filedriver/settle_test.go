package filedriver

import (
	"errors"
	"slices"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// reading is what one reading of a directory gave: the orders of the places it saw.
type reading []uint64

func TestSettle(t *testing.T) {
	t.Parallel()
	changing := []reading{{1}}
	for order := uint64(2); len(changing) <= maxReadings; order++ {
		// The newest is seen, the one before it not yet: it came to where was read already.
		changing = append(changing, reading{1, order * 10})
	}
	for _, c := range []struct {
		name     string
		readings []reading
		want     []uint64
	}{
		{"nothing changes", []reading{{5, 7}, {5, 7}}, []uint64{5, 7}},
		{"nobody there", []reading{{}, {}}, nil},
		{
			"one was overlooked, and who came behind was not",
			[]reading{{7}, {5, 7}, {5, 7}},
			[]uint64{5, 7},
		},
		{
			"one moved to the end and was overlooked",
			[]reading{{7}, {7, 9}, {7, 9}},
			[]uint64{7, 9},
		},
		{"it never stops", changing, []uint64{1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			left := c.readings
			v, err := settle(func() (view, error) {
				r := left[0]
				left = left[1:]
				return viewOf(r), nil
			})
			if err != nil {
				t.Fatal(err)
			}
			var got []uint64
			for _, p := range v.places {
				got = append(got, p.Order)
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("settled on %v, want %v", got, c.want)
			}
		})
	}
}

func TestSettleFails(t *testing.T) {
	t.Parallel()
	want := errors.New("no descriptors")
	calls := 0
	_, err := settle(func() (view, error) {
		if calls++; calls == 2 {
			return view{}, want
		}
		return view{}, nil
	})
	if !errors.Is(err, want) {
		t.Errorf("settle: %v, want %v", err, want)
	}
}

func viewOf(orders []uint64) view {
	var names []string
	for _, order := range orders {
		names = append(names, placeFile(order, idA, driver.KindMutex, 1, 1))
	}
	return assemble("orders", names, nil)
}
