package etcdembed

import (
	"testing"
	"time"
)

func TestNewRevision(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC)
	for name, test := range map[string]struct {
		old  int64
		now  time.Time
		want int64
	}{
		"a first restore":          {old: 1234, now: now, want: now.UnixMicro()},
		"a second, an hour later":  {old: now.UnixMicro() + 36_000_000, now: now.Add(time.Hour), want: now.Add(time.Hour).UnixMicro()},
		"a second, at once":        {old: now.UnixMicro() + 1, now: now, want: now.UnixMicro() + 1 + leastBump},
		"the clock has no battery": {old: 5_000_000, now: time.Unix(0, 0), want: 5_000_000 + leastBump},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := newRevision(test.old, test.now); got != test.want {
				t.Errorf("newRevision(%d, %v): got %d, want %d", test.old, test.now, got, test.want)
			}
		})
	}
}
