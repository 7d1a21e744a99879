package child

import "testing"

func TestGroupOf(t *testing.T) {
	t.Parallel()
	for stat, want := range map[string]struct {
		state byte
		group int
		ok    bool
	}{
		"12 (cat) S 1 7 7 0 -1":       {'S', 7, true},
		"12 (a) Z 1 2 (b) Z 1 8 8 0":  {'Z', 8, true}, // a name may look like the rest
		"12 (with space ) R 1 9 9":    {'R', 9, true},
		"12 (cat) S":                  {},
		"":                            {},
		"12 (cat) Sleeping 1 7 7 0":   {},
		"12 (cat) S 1 seven 7 0 -1 4": {'S', 0, false},
	} {
		if state, group, ok := groupOf([]byte(stat)); state != want.state || group != want.group || ok != want.ok {
			t.Errorf("%q: got %q, %d, %v, want %q, %d, %v", stat, state, group, ok, want.state, want.group, want.ok)
		}
	}
}
