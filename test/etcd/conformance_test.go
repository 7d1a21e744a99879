package etcd_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// etcdTTL is the shortest time to live that a server with default settings grants.
const etcdTTL = 2 * time.Second

func TestConformance(t *testing.T) {
	t.Parallel()
	runSuite(t, etcdserver.Start(t, 1), driver.LayoutQueue)
}

func TestConformanceOfOneKey(t *testing.T) {
	t.Parallel()
	runSuite(t, etcdserver.Start(t, 1), driver.LayoutSingle)
}

func TestConformanceOnThreeMembers(t *testing.T) {
	t.Parallel()
	runSuite(t, etcdserver.Start(t, 3), driver.LayoutQueue)
}

func runSuite(t *testing.T, cluster *etcdserver.Cluster, layout driver.Layout) {
	t.Helper()
	s := newSuite(t, cluster, layout)
	s.run(t, s.open)
}

func newSuite(t *testing.T, cluster *etcdserver.Cluster, layout driver.Layout) *suite {
	t.Helper()
	return &suite{cluster: cluster, layout: layout, admin: cluster.Client(t), handles: make(map[driver.Driver]handle)}
}

func (s *suite) run(t *testing.T, open func(testing.TB) func(testing.TB) driver.Driver) {
	t.Helper()
	drivertest.Run(t, drivertest.Harness{
		Open: open,
		TTL:  etcdTTL,
		Hooks: drivertest.Hooks{
			AddForeign:  s.addForeign,
			RemovePlace: s.removePlace,
			EndSession:  s.endSession,
			LoseAnswer:  func(_ testing.TB, d driver.Driver) { s.of(d).link.LoseAnswer() },
			Stall:       func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Stall() },
			Cut:         func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Cut() },
		},
	})
}

// suite gives each case a part of one cluster to itself.
type suite struct {
	cluster *etcdserver.Cluster
	layout  driver.Layout
	admin   *clientv3.Client
	cases   atomic.Int64

	mu      sync.Mutex
	handles map[driver.Driver]handle
}

// handle is what belongs to one handle of the suite.
type handle struct {
	link   *etcdserver.Link
	prefix string
}

func (s *suite) open(testing.TB) func(testing.TB) driver.Driver {
	o := etcddriver.Options{Prefix: "/case/" + strconv.FormatInt(s.cases.Add(1), 10), Layout: s.layout}
	if s.layout == driver.LayoutSingle {
		o.Records = o.Prefix
		o.Prefix += "/locks/" // which is put before the name as it is
	}
	return func(t testing.TB) driver.Driver {
		t.Helper()
		link := etcdserver.NewLink(t)
		d, err := etcddriver.New(s.cluster.Client(t, link.Options()...), &o)
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handles[d] = handle{link: link, prefix: o.Prefix}
		return d
	}
}

func (s *suite) of(d driver.Driver) handle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handles[d]
}

// addForeign puts a key as Go's concurrency.Mutex does or, where a lock is one key, that one.
func (s *suite) addForeign(t testing.TB, d driver.Driver, line string) {
	t.Helper()
	lease, err := s.admin.Grant(t.Context(), 600)
	if err != nil {
		t.Fatal(err)
	}
	key := fmt.Sprintf("%s/%s/%x", s.of(d).prefix, line, lease.ID)
	if s.layout == driver.LayoutSingle {
		key = s.of(d).prefix + line
	}
	if _, err := s.admin.Put(t.Context(), key, "", clientv3.WithLease(lease.ID)); err != nil {
		t.Fatal(err)
	}
}

func (s *suite) removePlace(t testing.TB, d driver.Driver, line, placeID string) {
	t.Helper()
	under := s.of(d).prefix + "/" + line + "/"
	if s.layout == driver.LayoutSingle {
		under = s.of(d).prefix + line
	}
	places, err := s.admin.Get(t.Context(), under, clientv3.WithPrefix())
	if err != nil {
		t.Fatal(err)
	}
	for _, kv := range places.Kvs {
		if !strings.Contains(string(kv.Value), placeID) {
			continue
		}
		if _, err := s.admin.Delete(t.Context(), string(kv.Key)); err != nil {
			t.Fatal(err)
		}
		return
	}
	t.Fatalf("no key of %q says that it is place %s", line, placeID)
}

func (s *suite) endSession(t testing.TB, _ driver.Driver, sessionID string) {
	t.Helper()
	lease, err := strconv.ParseInt(sessionID, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.admin.Revoke(t.Context(), clientv3.LeaseID(lease)); err != nil {
		t.Fatal(err)
	}
}
