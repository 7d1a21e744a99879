package zk_test

import (
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/zkserver"
)

// shortTTL is a short time to live on these servers that a busy machine can still keep.
const shortTTL = 8 * zkserver.Tick

func TestConformance(t *testing.T) {
	t.Parallel()
	runSuite(t, zkserver.Start(t, 1, zkserver.Config{}), driver.LayoutQueue)
}

func TestConformanceOfOneNode(t *testing.T) {
	t.Parallel()
	runSuite(t, zkserver.Start(t, 1, zkserver.Config{}), driver.LayoutSingle)
}

func TestConformanceOnThreeServers(t *testing.T) {
	t.Parallel()
	runSuite(t, zkserver.Start(t, 3, zkserver.Config{}), driver.LayoutQueue)
}

func runSuite(t *testing.T, ensemble *zkserver.Ensemble, layout driver.Layout) {
	t.Helper()
	s := &suite{ensemble: ensemble, layout: layout, admin: client(t, ensemble), handles: make(map[driver.Driver]handle)}
	drivertest.Run(t, drivertest.Harness{
		Open: s.open,
		TTL:  shortTTL,
		Hooks: drivertest.Hooks{
			AddForeign:  s.addForeign,
			RemovePlace: s.removePlace,
			EndSession: func(t testing.TB, _ driver.Driver, id string) {
				ensemble.Servers[0].EndSession(t, id)
			},
			LoseAnswer: func(_ testing.TB, d driver.Driver) { s.of(d).link.LoseAnswer() },
			Stall:      func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Stall() },
			Cut:        func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Cut() },
		},
	})
}

// suite gives each case a part of one ensemble to itself.
type suite struct {
	ensemble *zkserver.Ensemble
	layout   driver.Layout
	admin    *zk.Conn
	cases    atomic.Int64

	mu      sync.Mutex
	handles map[driver.Driver]handle
}

// handle is what belongs to one handle of the suite.
type handle struct {
	link   *proxy.Link
	prefix string
}

func (s *suite) open(testing.TB) func(testing.TB) driver.Driver {
	prefix := "/case/" + strconv.FormatInt(s.cases.Add(1), 10)
	return func(t testing.TB) driver.Driver {
		t.Helper()
		link := proxy.NewLink(t, proxy.ZooKeeper)
		d, err := zkdriver.New(s.ensemble.Addresses(), &zkdriver.Options{
			Prefix: prefix, Layout: s.layout, Tick: zkserver.Tick, Dial: link.Dial,
		})
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handles[d] = handle{link: link, prefix: prefix}
		return d
	}
}

func (s *suite) of(d driver.Driver) handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handles[d]
}

// addForeign puts a node as Curator and the Lock of go-zookeeper do or, where a lock is one
// node, that one.
func (s *suite) addForeign(t testing.TB, d driver.Driver, line string) {
	t.Helper()
	path := s.of(d).prefix + "/" + line
	if s.layout == driver.LayoutSingle {
		if _, err := s.admin.Create(path, []byte("host:4711"), zk.FlagEphemeral, world()); err != nil {
			t.Fatal(err)
		}
		return
	}
	for i := range len(path) {
		if i > 0 && path[i] == '/' {
			_, _ = s.admin.Create(path[:i], nil, zk.FlagPersistent, world())
		}
	}
	_, _ = s.admin.Create(path, nil, zk.FlagPersistent, world())
	if _, err := s.admin.CreateProtectedEphemeralSequential(path+"/lock-", nil, world()); err != nil {
		t.Fatal(err)
	}
}

func (s *suite) removePlace(t testing.TB, d driver.Driver, line, placeID string) {
	t.Helper()
	path := s.of(d).prefix + "/" + line
	if s.layout == driver.LayoutSingle {
		if err := s.admin.Delete(path, -1); err != nil {
			t.Fatal(err)
		}
		return
	}
	nodes, _, err := s.admin.Children(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, node := range nodes {
		if !strings.Contains(node, placeID) {
			continue
		}
		if err := s.admin.Delete(path+"/"+node, -1); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no node of %q is for place %s", line, placeID)
}
