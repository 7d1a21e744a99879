package redis_test

import (
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

// The client repeats a request whose connection broke before its answer came. It then finds
// its own key there, and reports that somebody else has it. Ours must not do that.
func TestFactClientRetriesFindTheirOwnKey(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	link := proxy.NewLink(t, proxy.Redis)
	client := connect(t, server, link)
	if err := client.Ping(t.Context()).Err(); err != nil {
		t.Fatal(err)
	}
	link.LoseAnswer()
	won, err := client.Eval(t.Context(), "return redis.call('SETNX', KEYS[1], 'mine')", []string{"lock"}).Int()
	if err != nil || won != 0 {
		t.Fatalf("the client answered %d, error %v: it does not repeat requests any more; then the driver need not care", won, err)
	}

	a := newActor(t, server, link, time.Minute)
	a.leave(a.take("orders")) // from here on the scripts are known
	c := mutex("orders")
	link.LoseAnswer()
	_, err = a.ses.Enter(t.Context(), c)
	fails(t, err, driver.ErrUnknownOutcome, "Enter whose answer was lost")
	if p := a.enter(c); !p.Granted {
		t.Error("the place that the lost Enter made was not found again")
	}
}

// A server that was told to forget its scripts is sent them again, also in the middle of a
// pipeline.
func TestScriptFlush(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a := newActor(t, server, nil, time.Minute)
	for range 10 {
		outcomes := make(chan error)
		for i := range 20 {
			go func() { // ends with its calls
				c := mutex("line-" + strconv.Itoa(i))
				_, err := a.ses.Enter(t.Context(), c)
				if err == nil {
					err = a.ses.Leave(t.Context(), c.Line, c.ID)
				}
				outcomes <- err
			}()
		}
		do(t, admin, "SCRIPT", "FLUSH")
		for range 20 {
			if err := <-outcomes; err != nil {
				t.Fatal(err)
			}
		}
	}
}

// An order is exact where a number of Lua's, and the score of a sorted set, are not.
func TestOrdersAreExactBeyondDoubles(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, nil, time.Minute)
	const last = 1<<53 + 1
	do(t, admin, "SET", "{holdgate}:counter", strconv.Itoa(last))
	first, second := a.enter(mutex("orders")), b.enter(mutex("orders"))
	if first.Order != last+1 || second.Order != last+2 {
		t.Fatalf("got the orders %d and %d, want %d and %d", first.Order, second.Order, last+1, last+2)
	}
	l, err := a.drv.Line(t.Context(), "orders")
	if err != nil || len(l.Places) != 2 || l.Places[0].Order != first.Order || l.Places[1].Order != second.Order {
		t.Fatalf("Line shows %+v, error %v", l.Places, err)
	}
}

// After a total loss of data tokens still grow.
func TestOrdersGrowAfterLoss(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a := newActor(t, server, nil, time.Minute)
	before := a.take("orders")
	do(t, admin, "FLUSHALL")
	_, err := a.ses.Renew(t.Context())
	fails(t, err, driver.ErrSessionLost, "Renew after the store has lost everything")
	a.open(time.Minute)
	if after := a.take("orders"); after.Order <= before.Order {
		t.Errorf("got the order %d after the order %d", after.Order, before.Order)
	}
}

// A full memory takes no new place. Holders renew, and whoever leaves makes the next one
// hold.
func TestFullMemory(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, nil, time.Minute)
	holder := a.take("orders")
	next := b.enter(mutex("orders"))
	wait := b.wait(next)
	do(t, admin, "CONFIG", "SET", "maxmemory", "1")
	c := mutex("invoices")
	_, err := b.ses.Enter(t.Context(), c)
	fails(t, err, driver.ErrUnavailable, "Enter into a full memory")
	if _, err := a.ses.Renew(t.Context()); err != nil {
		t.Fatalf("Renew in a full memory: %v", err)
	}
	a.leave(holder)
	granted(t, wait)
	_, err = a.drv.Open(t.Context(), driver.SessionOptions{TTL: time.Minute})
	fails(t, err, driver.ErrUnavailable, "Open into a full memory")
	do(t, admin, "CONFIG", "SET", "maxmemory", "0")
	if l, err := a.drv.Line(t.Context(), "invoices"); err != nil || len(l.Places) != 0 {
		t.Errorf("the refused Enter left %+v, error %v", l.Places, err)
	}
}

// A server that may delete what it is given is no store for locks.
func TestEvictionPolicyIsRefused(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	d := newDriver(t, connect(t, server, nil))
	for _, policy := range []string{"allkeys-lru", "volatile-ttl", "allkeys-random"} {
		do(t, admin, "CONFIG", "SET", "maxmemory-policy", policy)
		_, err := d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute})
		fails(t, err, driver.ErrUnsupported, "Open with the policy "+policy)
	}
	do(t, admin, "CONFIG", "SET", "maxmemory-policy", "noeviction")
	if _, err := d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute}); err != nil {
		t.Fatal(err)
	}
}

// Rights that are lacking are told as such.
func TestDenied(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{Config: []string{"--requirepass", "secret"}})
	for name, opts := range map[string]*redis.Options{
		"no password":    {Addr: server.Address()},
		"a wrong one":    {Addr: server.Address(), Password: "wrong"},
		"the right one":  {Addr: server.Address(), Password: "secret"},
		"not these keys": {Addr: server.Address(), Username: "other", Password: "other"},
	} {
		c := redis.NewClient(opts)
		t.Cleanup(func() { c.Close() })
		d := newDriver(t, c)
		if name == "the right one" {
			if _, err := d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute}); err != nil {
				t.Fatal(err)
			}
			continue
		}
		if name == "not these keys" {
			admin := redis.NewClient(&redis.Options{Addr: server.Address(), Password: "secret"})
			t.Cleanup(func() { admin.Close() })
			do(t, admin, "ACL", "SETUSER", "other", "on", ">other", "~something", "+@all")
		}
		_, err := d.Open(t.Context(), driver.SessionOptions{TTL: time.Minute})
		fails(t, err, driver.ErrDenied, "Open with "+name)
	}
}

// What one script removes is bounded, and a session of which a part was removed is dead,
// also when the clock goes back. Its places go, script by script, and wake who waits.
func TestSweepIsBoundedAndFinal(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, nil, time.Minute)
	const places = 450
	for i := range places {
		a.take("line-" + strconv.Itoa(i))
	}
	id := a.ses.ID()
	do(t, admin, "ZADD", "{holdgate}:deadlines", "1", "s:"+id)
	_, err := a.ses.Present(t.Context())
	fails(t, err, driver.ErrSessionLost, "Present of a session that has expired")
	left := do(t, admin, "SCARD", "{holdgate}:places:"+id).(int64)
	if left < places-110 || left >= places {
		t.Errorf("one script left %d of %d places, want it to remove about 100", left, places)
	}
	if alive := do(t, admin, "EXISTS", "{holdgate}:session:"+id).(int64); alive != 0 {
		t.Error("a session is partly removed, and could be renewed")
	}
	for i := range places { // the last ones are free by then
		p := b.enter(mutex("line-" + strconv.Itoa(i)))
		if !p.Granted {
			granted(t, b.wait(p))
		}
	}
	if n := do(t, admin, "EXISTS", "{holdgate}:places:"+id).(int64); n != 0 {
		t.Error("traces of a dead session are left")
	}
}
