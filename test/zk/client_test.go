package zk_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// client is a ZooKeeper client of its own, that ends with the test.
func client(t testing.TB, e *zkserver.Ensemble) *zk.Conn {
	t.Helper()
	return clientFor(t, e, 10*time.Second)
}

func clientFor(t testing.TB, e *zkserver.Ensemble, ttl time.Duration) *zk.Conn {
	t.Helper()
	c, _, err := zk.Connect(e.Addresses(), ttl, zk.WithLogInfo(false), zk.WithLogger(quiet{}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return c
}

// quiet drops what a client has to say.
type quiet struct{}

func (quiet) Printf(string, ...any) {}

func sessionText(id int64) string { return "0x" + strconv.FormatUint(uint64(id), 16) }

// process is what one program has: a handle and a client over it.
func process(t testing.TB, servers []string, o zkdriver.Options, ttl time.Duration) (*zkdriver.Driver, *holdgate.Client) {
	t.Helper()
	o.Tick = zkserver.Tick
	d, err := zkdriver.New(servers, &o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := holdgate.New(d, &holdgate.Options{TTL: ttl})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(t.Context()); _ = d.Close() })
	return d, c
}
