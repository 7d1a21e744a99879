package zkdriver

import (
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

func anID(digit string) string { return strings.Repeat(digit, idLen) }

func TestPlaceNodes(t *testing.T) {
	t.Parallel()
	c := driver.Claim{Line: "gpu", ID: anID("a"), Kind: driver.KindSemaphore, Capacity: driver.MaxCapacity, Units: 3}
	for sequence, want := range map[string]int32{"0000000007": 7, "2147483647": 1<<31 - 1, "-2147483648": -1 << 31, "-000000005": -5} {
		p, got, ok := parsePlace(placeNode(c) + sequence)
		if !ok || got != want || p.ID != c.ID || p.Kind != c.Kind || p.Capacity != c.Capacity || p.Units != c.Units {
			t.Errorf("sequence %s: got %+v, %d, %v", sequence, p, got, ok)
		}
	}
	if id, units, ok := parseUnits(unitsNode(c.ID, 2)); !ok || id != c.ID || units != 2 {
		t.Errorf("units of %s: got %d, %v", id, units, ok)
	}
}

func TestForeignNodes(t *testing.T) {
	t.Parallel()
	for node, want := range map[string]int32{
		"_c_" + anID("b") + "-lock-0000000003":                    3,  // go-zookeeper
		"_c_6f2d3a10-5a1e-4a9e-9c39-0f2f4c1d7a10-lock-0000000012": 12, // Curator
		anID("c") + "__lock__0000000004":                          4,  // Kazoo
		"_c_" + anID("b") + "-mutex.1.2-lock-0000000005":          5,  // more units than there are
	} {
		if _, _, ok := parsePlace(node); ok {
			t.Errorf("%s is taken for a place of ours", node)
		}
		if got, ok := parseForeign(node); !ok || got != want {
			t.Errorf("%s: got the sequence %d, %v, want %d", node, got, ok, want)
		}
	}
	for _, node := range []string{"", "orders", "lock-12", "_c_" + anID("b") + "-lock-"} {
		if got, ok := parseForeign(node); ok {
			t.Errorf("%q: got the sequence %d, want none", node, got)
		}
	}
}

func FuzzParseNode(f *testing.F) {
	f.Add("_c_" + anID("a") + "-mutex.1.1-lock-0000000007")
	f.Add(unitsNode(anID("a"), 3))
	f.Add(anID("c") + "__lock__0000000004")
	f.Fuzz(func(t *testing.T, name string) {
		p, _, ok := parsePlace(name)
		c := driver.Claim{Line: "x", ID: p.ID, Kind: p.Kind, Capacity: p.Capacity, Units: p.Units}
		if ok && c.Check() != nil {
			t.Fatalf("%q is read as a place that nobody can have claimed: %+v", name, p)
		}
		parseUnits(name)
		parseForeign(name)
	})
}
