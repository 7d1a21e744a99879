package etcddriver

import "testing"

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
