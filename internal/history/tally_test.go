package history_test

import (
	"testing"

	"github.com/holdgate/holdgate/internal/history"
)

func TestTally(t *testing.T) {
	t.Parallel()
	n := history.Tally{"faults": 1}
	n.Count(with(
		at(15*ms, grant("a2", "aP", 257)),
		at(16*ms, grant("a3", "aP", 258)),
		at(17*ms, because(history.ByExpiry, of(history.Lost, "a1"))),
		at(18*ms, in(history.Broken, "aP")),
	))
	n.Add(history.Tally{"faults": 2})
	const want = "faults 3, granted 4, granted place taken away 1, holder told: expired 1, late write refused 1, passed on locally 2"
	if got := n.String(); got != want {
		t.Errorf("got %q\nwant %q", got, want)
	}
}
