package witness

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// The bounds of a position come from all marks, whoever made them and in whatever order
// they were answered.
func TestClock(t *testing.T) {
	t.Parallel()
	var c Clock
	for _, m := range []mark{{10, 12, 5}, {20, 90, 5}, {30, 33, 7}, {40, 44, 9}, {50, 51, 9}, {35, 60, 8}} {
		c.Saw(m.sent, m.answered, m.position)
	}
	b := c.bounds()
	for position, want := range map[int64][2]time.Duration{
		4: {1, 12}, 5: {1, 12}, 6: {20, 33}, 7: {20, 33}, 8: {30, 44}, 9: {35, 44}, 10: {50, math.MaxInt64},
	} {
		if got := [2]time.Duration{b.notBefore(position), b.notAfter(position)}; got != want {
			t.Errorf("position %d: got %d, want %d", position, got, want)
		}
	}
}

func TestSilences(t *testing.T) {
	t.Parallel()
	var c Clock
	c.Saw(50+2*silence, 60+2*silence, 9)
	c.Saw(10, 20, 5)
	c.Saw(50, 60, 7)
	if got, want := c.Silences(), []Silence{{50, 50 + 2*silence}}; !slices.Equal(got, want) {
		t.Errorf("got the silences %v, want %v", got, want)
	}
}

// A place that goes with a session which was revoked was taken away, and its holder may
// believe for a TTL. What a store tells of moments counts more than marks.
func TestEvents(t *testing.T) {
	t.Parallel()
	var r Record
	r.Saw(50, 55, 2)
	r.Saw(150, 180, 5)
	r.Saw(300, 350, 9)
	r.revoked = map[string]time.Duration{"aa": 160}
	got := r.Events([]Change{
		{Position: 3, Came: true, Name: "a", ID: "one", Session: "aa", Owner: "p1", Token: 3 << 8},
		{Position: 5, Came: true, Name: "a", ID: "two", Session: "bb", Owner: "p2", Token: 5 << 8},
		{Position: 6, At: 200, Name: "a", ID: "one", Session: "aa", Ended: true},
		{Position: 8, Name: "a", ID: "two", Session: "bb", Ended: true},
	}, 1000)
	want := []history.Event{
		{Kind: history.Stood, At: 50, Name: "a", Place: "one", Client: "p1", Token: 3 << 8},
		{Kind: history.Stood, At: 50, Name: "a", Place: "two", Client: "p2", Token: 5 << 8},
		{Kind: history.Broken, At: 200, Since: 160, Until: 1200, Name: "a", Place: "one"},
		{Kind: history.Freed, At: 200, Since: 150, Name: "a", Place: "one"},
		{Kind: history.Freed, At: 350, Since: 150, Name: "a", Place: "two"},
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
