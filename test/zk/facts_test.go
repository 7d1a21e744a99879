package zk_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/test/zkserver"
)

// What the driver is built on, each fact by itself.

func TestFacts(t *testing.T) {
	t.Parallel()
	e := zkserver.Start(t, 1, zkserver.Config{})
	for name, fact := range map[string]func(*testing.T, *zkserver.Ensemble){
		"one step tells the transaction and the others":      stepTells,
		"the sequence begins anew with its node":             sequenceBeginsAnew,
		"a blind retry makes two nodes":                      retryMakesTwo,
		"names that are refused":                             namesRefused,
		"a list and the writes before it are in order":       listSeesOwnWrites,
		"the client keeps a session alive by itself":         clientKeepsAlive,
		"the client begins another session":                  clientBeginsAnother,
		"the event of an expiry may be lost":                 expiryEventLost,
		"a node made again has the counts of the first":      countsBeginAnew,
		"asking for a node that is not there leaves a watch": askingLeavesWatches,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fact(t, e)
		})
	}
}

// world is for everybody.
func world() []zk.ACL { return zk.WorldACL(zk.PermAll) }

// parent makes a node for one test.
func parent(t *testing.T, c *zk.Conn) string {
	t.Helper()
	path, err := c.Create("/fact-", nil, zk.FlagSequence, world())
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// enter makes an ephemeral sequential node and writes to the one above, in one step.
func enter(t *testing.T, c *zk.Conn, path string) (made string, above *zk.Stat) {
	t.Helper()
	answers, err := c.Multi(
		&zk.CreateRequest{Path: path + "/n-", Acl: world(), Flags: zk.FlagEphemeralSequential},
		&zk.SetDataRequest{Path: path, Version: -1},
	)
	if err != nil {
		t.Fatal(err)
	}
	return answers[0].String, answers[1].Stat
}

func stepTells(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c)
	for others := range int32(3) {
		made, above := enter(t, c, path)
		_, stat, err := c.Get(made)
		if err != nil {
			t.Fatal(err)
		}
		if above.Mzxid != stat.Czxid {
			t.Errorf("the step says transaction %d, the node was made by %d", above.Mzxid, stat.Czxid)
		}
		if above.NumChildren != others+1 {
			t.Errorf("the step says %d nodes, want %d", above.NumChildren, others+1)
		}
	}
}

func sequenceBeginsAnew(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c)
	first, before := enter(t, c, path)
	for _, node := range []string{first, path} {
		if err := c.Delete(node, -1); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Create(path, nil, zk.FlagPersistent, world()); err != nil {
		t.Fatal(err)
	}
	again, after := enter(t, c, path)
	if again != first {
		t.Errorf("the first node of the new line is %s, want %s: then the sequence would do for a token", again, first)
	}
	if after.Mzxid <= before.Mzxid {
		t.Errorf("transaction %d comes after %d", after.Mzxid, before.Mzxid)
	}
}

func retryMakesTwo(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c)
	enter(t, c, path)
	enter(t, c, path)
	nodes, _, err := c.Children(path)
	if err != nil || len(nodes) != 2 {
		t.Errorf("the same request, sent twice, made the nodes %v, %v", nodes, err)
	}
}

func namesRefused(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c)
	// In a multi, since the client refuses some of them by itself when they come alone.
	makes := func(name string) error {
		_, err := c.Multi(&zk.CreateRequest{Path: path + "/" + name, Acl: world(), Flags: zk.FlagPersistent})
		return err
	}
	for _, name := range []string{".", "..", "a\x01", "a\u0085", "a\ue000", "a\ufff0", "a\U0001f512"} {
		if makes(name) == nil {
			t.Errorf("the server took the name %q", name)
		}
	}
	for _, name := range []string{"%2E", "...", "a b", "锁", "a%F0%9F%94%92", strings.Repeat("n", 1536)} {
		if err := makes(name); err != nil {
			t.Errorf("the server refused the name %.40q: %v", name, err)
		}
	}
}

func listSeesOwnWrites(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c)
	for n := 1; n <= 50; n++ {
		enter(t, c, path)
		nodes, _, err := c.Children(path)
		if err != nil || len(nodes) != n {
			t.Fatalf("after %d writes the list has %d nodes, %v", n, len(nodes), err)
		}
	}
}

func clientKeepsAlive(t *testing.T, e *zkserver.Ensemble) {
	c, other := clientFor(t, e, shortTTL), client(t, e)
	made, _ := enter(t, c, parent(t, c))
	time.Sleep(3 * shortTTL) // the time of the store's that must pass
	if stands, _, err := other.Exists(made); err != nil || !stands {
		t.Errorf("a session that its client did nothing with has ended: %v, %v", stands, err)
	}
}

func clientBeginsAnother(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c)
	made, _ := enter(t, c, path)
	was := c.SessionID()
	end(t, e, was)
	awaitOther(t, c, was)
	if nodes, _, err := c.Children(path); err != nil || len(nodes) != 0 {
		t.Errorf("after its session had ended the client was told %v, %v, want no %s and no error", nodes, err, made)
	}
}

func expiryEventLost(t *testing.T, e *zkserver.Ensemble) {
	called := make(chan struct{})
	c, events, err := zk.Connect(e.Addresses(), 10*time.Second, zk.WithLogInfo(false), zk.WithLogger(quiet{}),
		zk.WithEventCallback(func(ev zk.Event) {
			if ev.State == zk.StateExpired {
				close(called)
			}
		}))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	parent(t, c)
	was := c.SessionID()
	end(t, e, was)
	<-called
	awaitOther(t, c, was)
	for {
		select {
		case ev := <-events:
			if ev.State == zk.StateExpired {
				t.Error("the channel had room for the event: then the callback would not be needed")
			}
			continue
		default:
		}
		return
	}
}

func countsBeginAnew(t *testing.T, e *zkserver.Ensemble) {
	c := client(t, e)
	path := parent(t, c) + "/key"
	var counts []int32
	for range 2 {
		if _, err := c.Create(path, nil, zk.FlagPersistent, world()); err != nil {
			t.Fatal(err)
		}
		stat, err := c.Set(path, []byte("value"), -1)
		if err != nil {
			t.Fatal(err)
		}
		counts = append(counts, stat.Version)
		if err := c.Delete(path, -1); err != nil {
			t.Fatal(err)
		}
	}
	if counts[0] != counts[1] {
		t.Errorf("got the counts %v: then a condition on them would do", counts)
	}
}

// end ends a session as an operator would.
func end(t *testing.T, e *zkserver.Ensemble, session int64) {
	t.Helper()
	e.Servers[0].EndSession(t, sessionText(session))
}

// awaitOther waits until a client has another session.
func awaitOther(t *testing.T, c *zk.Conn, was int64) {
	t.Helper()
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
		if now := c.SessionID(); now != was && now != 0 {
			if _, _, err := c.Exists("/"); !errors.Is(err, zk.ErrConnectionClosed) {
				return
			}
		}
	}
	t.Fatal("the client has no other session")
}
