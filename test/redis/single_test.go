package redis_test

import (
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

func TestConformanceOfSingle(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{Config: []string{"--databases", "500"}})
	s := &singleSuite{server: server, handles: make(map[driver.Driver]singleHandle)}
	drivertest.Run(t, drivertest.Harness{
		Open: s.open,
		TTL:  time.Second,
		Hooks: drivertest.Hooks{
			AddForeign: func(t testing.TB, d driver.Driver, line string) {
				t.Helper()
				if err := s.of(d).admin.Set(t.Context(), line, "a token of redsync's", 10*time.Minute).Err(); err != nil {
					t.Fatal(err)
				}
			},
			RemovePlace: func(t testing.TB, d driver.Driver, line, _ string) {
				t.Helper()
				if err := s.of(d).admin.Del(t.Context(), line).Err(); err != nil {
					t.Fatal(err)
				}
			},
			LoseAnswer: func(_ testing.TB, d driver.Driver) { s.of(d).link.LoseAnswer() },
			Stall:      func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Stall() },
			Cut:        func(_ testing.TB, d driver.Driver) func() { return s.of(d).link.Cut() },
		},
	})
}

// singleSuite gives each case a database of one server to itself: names are keys.
type singleSuite struct {
	server *redisserver.Server

	mu      sync.Mutex
	cases   int
	handles map[driver.Driver]singleHandle
}

type singleHandle struct {
	link  *proxy.Link
	admin *redis.Client
}

func (s *singleSuite) open(t testing.TB) func(testing.TB) driver.Driver {
	s.mu.Lock()
	s.cases++
	database := s.cases
	s.mu.Unlock()
	admin := redis.NewClient(&redis.Options{Addr: s.server.Address(), DB: database})
	t.Cleanup(func() { admin.Close() })
	return func(t testing.TB) driver.Driver {
		t.Helper()
		link := proxy.NewLink(t, proxy.Redis)
		c := redis.NewClient(&redis.Options{Addr: s.server.Address(), DB: database, Dialer: link.Dial})
		t.Cleanup(func() { c.Close() })
		d, err := redisdriver.NewSingle(c, nil)
		if err != nil {
			t.Fatal(err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.handles[d] = singleHandle{link: link, admin: admin}
		return d
	}
}

func (s *singleSuite) of(d driver.Driver) singleHandle {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.handles[d]
}
