package recipes_test

import (
	"context"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/driver/filedriver"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/etcdserver"
	"github.com/holdgate/holdgate/test/redisserver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// ttl is short, and one that each of these stores takes as it is.
const ttl = 4 * time.Second

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = time.Minute

// opener returns a handle on a store, as another process would have it.
type opener func(t testing.TB) driver.Driver

// stores start a store each, that ends with the test.
func stores() map[string]func(t testing.TB) opener {
	return map[string]func(t testing.TB) opener{
		"files": func(t testing.TB) opener {
			dir := t.TempDir()
			return func(t testing.TB) driver.Driver { return must(filedriver.Open(dir, nil))(t) }
		},
		"etcd": func(t testing.TB) opener {
			c := etcdserver.Start(t, 1)
			return func(t testing.TB) driver.Driver { return must(etcddriver.New(c.Client(t), nil))(t) }
		},
		"redis": func(t testing.TB) opener {
			s := redisserver.Start(t, redisserver.Options{})
			return func(t testing.TB) driver.Driver {
				c := redis.NewClient(&redis.Options{Addr: s.Address()})
				t.Cleanup(func() { _ = c.Close() })
				return must(redisdriver.New(c, nil))(t)
			}
		},
		"zookeeper": func(t testing.TB) opener {
			e := zkserver.Start(t, 1, zkserver.Config{})
			return func(t testing.TB) driver.Driver {
				return must(zkdriver.New(e.Addresses(), &zkdriver.Options{Tick: zkserver.Tick}))(t)
			}
		},
	}
}

func must[D driver.Driver](d D, err error) func(t testing.TB) driver.Driver {
	return func(t testing.TB) driver.Driver {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return d
	}
}

// process is a client with a handle of its own.
type process struct {
	*holdgate.Client
	drv driver.Driver
}

// start starts a process that ends with the test.
func (open opener) start(t testing.TB) *process {
	t.Helper()
	return open.startFor(t, ttl)
}

// startFor starts one that has this TTL.
func (open opener) startFor(t testing.TB, ttl time.Duration) *process {
	t.Helper()
	p := &process{drv: open(t)}
	var err error
	if p.Client, err = holdgate.New(p.drv, &holdgate.Options{TTL: ttl, Owner: t.Name()}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, stop := context.WithTimeout(context.Background(), soon)
		defer stop()
		_ = p.Close(ctx) // who was killed cannot
		_ = p.drv.Close()
	})
	return p
}

// kill ends the process as far as the store can tell.
func (p *process) kill() { _ = p.drv.Close() }
