package etcddriver

import "testing"

func TestIsSpot(t *testing.T) {
	t.Parallel()
	for end, want := range map[string]bool{
		"694d9":              true, // concurrency.Mutex
		"00000000000694d9":   true, // ours
		"00000000000694d9:1": true,
		"694da":              false,
		"orders":             false,
		"orders/694d9":       false,
		"":                   false,
	} {
		if got := isSpot(end, 0x694d9); got != want {
			t.Errorf("%q: got %v, want %v", end, got, want)
		}
	}
	if isSpot("0", 0) {
		t.Error("a key without a lease is taken for a place")
	}
}
