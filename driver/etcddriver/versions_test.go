package etcddriver

import (
	"strings"
	"testing"
)

func TestKnownFaults(t *testing.T) {
	t.Parallel()
	for version, want := range map[string]int{
		"3.4.30": 3, "3.5.0": 3, "3.5.12": 3,
		"3.5.13": 2, "3.5.22": 2,
		"3.5.23": 1, "3.5.27": 1,
		"3.5.28": 0, "3.5.99": 0,
		"3.6.0": 2, "3.6.4": 2,
		"3.6.5": 1, "3.6.8": 1,
		"3.6.9": 0,
		"3.7.0": 0, "3.7.3": 0, "4.0.0": 0,
		"": 0, "unknown": 0, "3": 0,
	} {
		if got := KnownFaults(version); len(got) != want {
			t.Errorf("%q: got %d faults, want %d: %q", version, len(got), want, got)
		}
	}
}

// Somebody who is warned is told what to do.
func TestKnownFaultsAreMended(t *testing.T) {
	t.Parallel()
	for version, want := range map[string][]string{
		"3.4.30": {"3.5.13", "3.5.23", "3.5.28"},
		"3.5.13": {"3.5.23", "3.5.28"},
		"3.6.4":  {"3.6.5", "3.6.9"},
	} {
		faults := KnownFaults(version)
		if len(faults) != len(want) {
			t.Fatalf("%q: got %q, want faults that are mended in %q", version, faults, want)
		}
		for i, f := range faults {
			if !strings.HasSuffix(f, " (mended in "+want[i]+")") {
				t.Errorf("%q: got %q, want it mended in %s", version, f, want[i])
			}
		}
	}
}
