package filedriver

import (
	"reflect"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

const (
	idA      = "0123456789abcdef0123456789abcdef"
	idB      = "fedcba9876543210fedcba9876543210"
	sessionA = "0123456789abcdef01234567"
)

func TestFileName(t *testing.T) {
	t.Parallel()
	p := driver.Place{
		ID: idA, Session: sessionA, Order: 0x6617be1662f9e, Kind: driver.KindRW,
		Capacity: driver.MaxCapacity, Units: 1, Version: firstVersion,
	}
	const want = "06617be1662f9e-" + idA + "-" + sessionA + "-rw-1073741824-1"
	if got := fileName(&p); got != want {
		t.Fatalf("fileName = %q, want %q", got, want)
	}
	if got, ok := parseFileName(want); !ok || !reflect.DeepEqual(got, p) {
		t.Fatalf("parseFileName = %+v, %v, want %+v", got, ok, p)
	}
}

func TestParseFileNameRefuses(t *testing.T) {
	t.Parallel()
	const order = "06617be1662f9e-"
	for _, name := range []string{
		"", "orders", nameFile, order, order + idA, order + idA + sideWait,
		"00000000000000-" + idA + "-" + sessionA + "-mutex-1-1", // order 0
		"ffffffffffffff-" + idA + "-" + sessionA + "-mutex-1-1", // more than 55 bits
		"06617BE1662F9E-" + idA + "-" + sessionA + "-mutex-1-1", // upper case
		order + idA + "-" + sessionA + "-Mutex-1-1",             // not a kind
		order + idA + "-" + sessionA + "--1-1",                  // no kind
		order + idA + "-" + sessionA + "-mutex-01-1",            // not canonical
		order + idA + "-" + sessionA + "-mutex-0-0",             // no capacity
		order + idA + "-" + sessionA + "-mutex-1-2",             // units over capacity
		order + idA + "-" + sessionA + "-mutex-1-+1",            // a sign
		order + idA + "-" + sessionA + "-mutex-1073741825-1",    // over the limit
		order + idA + "-" + sessionA + "-mutex-1-1-1",           // more
		order + idA[1:] + "-" + sessionA + "-mutex-1-1",         // ID too short
		order + strings.Replace(idA, "0", "g", 1) + "-" + sessionA + "-mutex-1-1",
	} {
		if p, ok := parseFileName(name); ok {
			t.Errorf("parseFileName(%q) = %+v, want it refused", name, p)
		}
	}
}

// FuzzFileName: what is read as a place is what fileName would have written, so that
// no two files are one place; and what lies beside it is never taken for one.
func FuzzFileName(f *testing.F) {
	stem := "06617be1662f9e-" + idA
	for _, name := range []string{
		stem + "-" + sessionA + "-mutex-1-1", stem + sideWait, stem + sideMark, stem + sideData, stem + sideUnits + "1",
		stem + sideUnits, ".DS_Store", "lock.pid", nameFile,
	} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		p, ok := parseFileName(name)
		if ok && fileName(&p) != name {
			t.Fatalf("%q is read as %q", name, fileName(&p))
		}
		if ok && (p.Units < 0 || p.Units > p.Capacity || p.Order == 0 || p.Order > maxOrder) {
			t.Fatalf("%q is read as %+v", name, p)
		}
		if _, _, side, stemmed := parseStem(name); ok && (!stemmed || isSide(side)) {
			t.Fatalf("%q is a place and beside one", name)
		}
	})
}
