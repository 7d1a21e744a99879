package witness

import (
	"testing"
	"time"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/internal/history"
)

func TestClock(t *testing.T) {
	t.Parallel()
	var c clock
	for _, r := range []reading{{10, 5}, {20, 5}, {30, 7}, {40, 9}, {50, 9}} {
		c.saw(r.sent, r.revision)
	}
	for revision, want := range map[int64]time.Duration{5: 1, 6: 20, 7: 20, 8: 30, 9: 30, 10: 50, 99: 50} {
		if got := c.notBefore(revision); got != want {
			t.Errorf("revision %d: got %d, want %d", revision, got, want)
		}
	}
	if len(c.silences) > 0 {
		t.Errorf("silences in %v", c.silences)
	}
	c.saw(50+2*silence, 9)
	if want := (Silence{50, 50 + 2*silence}); len(c.silences) != 1 || c.silences[0] != want {
		t.Errorf("got the silences %v, want %v", c.silences, want)
	}
}

func put(key, value string, revision int64) *clientv3.Event {
	return &clientv3.Event{Type: mvccpb.PUT, Kv: &mvccpb.KeyValue{
		Key: []byte(key), Value: []byte(value), CreateRevision: revision, ModRevision: revision,
	}}
}

func del(key string, revision int64) *clientv3.Event {
	return &clientv3.Event{Type: mvccpb.DELETE, Kv: &mvccpb.KeyValue{Key: []byte(key), ModRevision: revision}}
}

// Two members tell the same at different times, and only the first time counts. A place
// that goes with a session which was revoked was taken away.
func TestLedger(t *testing.T) {
	t.Parallel()
	const value = `mutex/1/1 the-id {"owner":"p1","ttl":2}`
	l := newLedger("/h", 1)
	first := []*clientv3.Event{put("/h/%sessions/aa", "", 2), put("/h/a/aa", value, 3), put("/h/a/aa.evicted", value, 4)}
	second := []*clientv3.Event{put("/h/a/bb:1", `mutex/1/1 other {"owner":"p2"}`, 5), del("/h/%sessions/aa", 6), del("/h/a/aa", 6)}
	last := []*clientv3.Event{del("/h/a/bb:1", 8)}
	l.told(100, first)
	l.told(200, append(first, second...))
	l.told(300, second)
	_, news := l.upTo()
	l.told(400, last)
	select {
	case <-news:
	default:
		t.Error("a change tells nobody")
	}
	l.told(500, append(second, last...))
	if seen, _ := l.upTo(); seen != 8 {
		t.Errorf("got revision %d, want 8", seen)
	}

	var c clock
	c.saw(50, 2)
	c.saw(150, 5)
	got := l.events(&c, 1000, map[string]time.Duration{"aa": 160})
	want := []history.Event{
		{Kind: history.Stood, At: 50, Name: "a", Place: "the-id", Client: "p1", Token: 3 << 8},
		{Kind: history.Stood, At: 50, Name: "a", Place: "other", Client: "p2", Token: 5 << 8},
		{Kind: history.Broken, At: 200, Since: 160, Until: 1200, Name: "a", Place: "the-id"},
		{Kind: history.Freed, At: 200, Since: 150, Name: "a", Place: "the-id"},
		{Kind: history.Freed, At: 400, Since: 150, Name: "a", Place: "other"},
	}
	if len(got) != len(want) {
		t.Fatalf("got %d events, want %d: %v", len(got), len(want), got)
	}
	for i := range want {
		if got[i] != want[i] {
			t.Errorf("event %d: got %+v, want %+v", i, got[i], want[i])
		}
	}
}
