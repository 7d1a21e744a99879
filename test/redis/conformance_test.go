package redis_test

import (
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	s := &suite{server: server, admin: connect(t, server, nil), handles: make(map[driver.Driver]handle)}
	drivertest.Run(t, drivertest.Harness{
		Open: s.open,
		TTL:  2 * time.Second, // a busy machine has to keep it
		Hooks: drivertest.Hooks{
			EndSession: s.endSession,
			LoseAnswer: func(_ testing.TB, d driver.Driver) { s.of(d).link.LoseAnswer() },
			Stall:      func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Stall() },
			Cut:        func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Cut() },
		},
	})
}

// suite gives each case a part of one server to itself.
type suite struct {
	server *redisserver.Server
	admin  *redis.Client
	cases  atomic.Int64

	mu      sync.Mutex
	handles map[driver.Driver]handle
}

// handle is what belongs to one handle of the suite.
type handle struct {
	link   *proxy.Link
	prefix string
}

func (s *suite) open(testing.TB) func(testing.TB) driver.Driver {
	prefix := "case-" + strconv.FormatInt(s.cases.Add(1), 10)
	return func(t testing.TB) driver.Driver {
		t.Helper()
		link := proxy.NewLink(t, proxy.Redis)
		d, err := redisdriver.New(connect(t, s.server, link), &redisdriver.Options{Prefix: prefix})
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

// endSession moves the session's deadline into the past, as an operator does, and lets
// anybody look at the store, as that operator will.
func (s *suite) endSession(t testing.TB, d driver.Driver, sessionID string) {
	t.Helper()
	deadlines := "{" + s.of(d).prefix + "}:deadlines"
	if err := s.admin.ZAdd(t.Context(), deadlines, redis.Z{Score: 1, Member: "s:" + sessionID}).Err(); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Line(t.Context(), "anything"); err != nil {
		t.Fatal(err)
	}
}

// connect makes a client, over a link if there is one.
func connect(t testing.TB, s *redisserver.Server, link *proxy.Link) *redis.Client {
	t.Helper()
	opts := &redis.Options{Addr: s.Address()}
	if link != nil {
		opts.Dialer = link.Dial
	}
	c := redis.NewClient(opts)
	t.Cleanup(func() { c.Close() })
	return c
}
