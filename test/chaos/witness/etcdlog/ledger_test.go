package etcdlog

import (
	"slices"
	"testing"

	"go.etcd.io/etcd/api/v3/mvccpb"
	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/chaos/witness"
)

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

	want := []witness.Change{
		{Position: 3, At: 100, Came: true, Name: "a", ID: "the-id", Session: "aa", Owner: "p1", Token: 3 << 8},
		{Position: 5, At: 200, Came: true, Name: "a", ID: "other", Session: "bb", Owner: "p2", Token: 5 << 8},
		{Position: 6, At: 200, Name: "a", ID: "the-id", Session: "aa", Ended: true},
		{Position: 8, At: 400, Name: "a", ID: "other", Session: "bb"},
	}
	if got := l.all(); !slices.Equal(got, want) {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
}
