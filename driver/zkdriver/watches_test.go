package zkdriver

import (
	"testing"

	"github.com/go-zookeeper/zk"
)

func TestWatchesAreShared(t *testing.T) {
	t.Parallel()
	ws := newWatches()
	at := spot{"/orders/a", false}
	first, armed := ws.join(at)
	if armed {
		t.Fatal("a watch that nobody has armed is armed")
	}
	ws.arm(first, &zk.Stat{})
	ws.part(at, first)
	second, armed := ws.join(at)
	if second != first || !armed {
		t.Fatal("the second one who looks does not share the watch")
	}
	ws.part(at, second)
	ws.tell(zk.Event{Type: zk.EventNodeDeleted, Path: at.path})
	if !first.hasFired() || !first.removed {
		t.Error("the end of the node was not told")
	}
	if third, armed := ws.join(at); third == first || armed {
		t.Error("a watch that has fired is shared")
	}
}

func TestWatchesAreForgotten(t *testing.T) {
	t.Parallel()
	ws := newWatches()
	at := spot{"/orders/a", false}
	w, _ := ws.join(at) // to be armed, but the node is not there
	ws.part(at, w)
	if len(ws.byAt) != 0 {
		t.Error("a watch that nobody armed stays")
	}
	w, _ = ws.join(at)
	ws.arm(w, &zk.Stat{})
	ws.part(at, w)
	f := newFollower()
	ws.follow(w, f, "orders")
	ws.unfollow(f)
	if len(w.followers) != 0 {
		t.Error("a follower stays that has ended")
	}
	ws.follow(w, f, "orders") // by an operation that its caller gave up
	ws.tell(zk.Event{Type: zk.EventNodeDataChanged, Path: at.path})
	if news := f.take(); len(news) != 0 {
		t.Errorf("a follower that has ended was told %q", news)
	}
}

func TestFollowerGathers(t *testing.T) {
	t.Parallel()
	ws, f := newWatches(), newFollower()
	for _, name := range []string{"b", "a"} {
		w, _ := ws.join(spot{"/" + name, true})
		ws.arm(w, &zk.Stat{})
		ws.follow(w, f, name)
		ws.tell(zk.Event{Type: zk.EventNodeChildrenChanged, Path: "/" + name})
	}
	<-f.wake
	if news := f.take(); len(news) != 2 || news[0] != "a" || news[1] != "b" {
		t.Errorf("got the news %q, want a and b", news)
	}
	fired, _ := ws.join(spot{"/c", true})
	ws.arm(fired, &zk.Stat{})
	ws.tell(zk.Event{Type: zk.EventNodeChildrenChanged, Path: "/c"})
	ws.follow(fired, f, "c")
	if news := f.take(); len(news) != 1 {
		t.Errorf("a watch that had fired before was followed: got the news %q", news)
	}
}
