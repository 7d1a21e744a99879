package redis_test

import (
	"context"
	"errors"
	"regexp"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

// Whoever kills the subscription, and whatever is told while there is none: the waiter is
// granted.
func TestSubscriptionKilled(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, nil, time.Minute)
	for range 20 {
		holder := a.take("orders")
		next := b.enter(mutex("orders"))
		wait := b.wait(next)
		do(t, admin, "CLIENT", "KILL", "TYPE", "pubsub")
		a.leave(holder)
		granted(t, wait)
		b.leave(next)
	}
}

// What was told while the connection was down nobody heard. It is looked for when the
// subscription is back.
func TestGrantDuringAnOutage(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	link := proxy.NewLink(t, proxy.Redis)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, link, time.Minute)
	holder := a.take("orders")
	wait := b.wait(b.enter(mutex("orders")))
	awaitSubscriber(t, connect(t, server, nil), "{holdgate}:session:"+b.ses.ID())
	heal := link.Cut()
	a.leave(holder)
	heal()
	granted(t, wait)
}

// A connection that has died without anybody being told is given up.
func TestDeadSubscription(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	link := proxy.NewLink(t, proxy.Redis)
	a, b := newActor(t, server, nil, time.Minute), newActor(t, server, link, time.Minute)
	holder := a.take("orders")
	wait := b.wait(b.enter(mutex("orders")))
	awaitSubscriber(t, connect(t, server, nil), "{holdgate}:session:"+b.ses.ID())
	link.Deaden()
	a.leave(holder)
	granted(t, wait)
}

// awaitSubscriber waits until somebody listens to a channel, which the server tells by no
// event.
func awaitSubscriber(t *testing.T, admin *redis.Client, channel string) {
	t.Helper()
	for deadline := time.Now().Add(patience); ; time.Sleep(5 * time.Millisecond) {
		n, err := admin.PubSubNumSub(t.Context(), channel).Result()
		switch {
		case err != nil:
			t.Fatal(err)
		case n[channel] > 0:
			return
		case time.Now().After(deadline):
			t.Fatalf("nobody listens to %s", channel)
		}
	}
}

// A server that takes connections and says nothing hangs nobody: what is called returns
// when its caller gives up, and closing the handle does not wait either.
func TestHungServer(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	a := newActor(t, server, nil, 2*time.Second)
	p := a.take("orders")
	other := newActor(t, server, nil, time.Minute)
	wait := other.wait(other.enter(mutex("orders")))
	server.Pause()
	defer server.Resume()
	errGaveUp := errors.New("gave up")
	var late []time.Duration
	for name, call := range map[string]func(context.Context) error{
		"Open": func(ctx context.Context) error {
			_, err := a.drv.Open(ctx, driver.SessionOptions{TTL: time.Minute})
			return err
		},
		"Line":    func(ctx context.Context) error { _, err := a.drv.Line(ctx, "orders"); return err },
		"Evict":   func(ctx context.Context) error { return a.drv.Evict(ctx, "orders", p.ID, driver.Eviction{}) },
		"Renew":   func(ctx context.Context) error { _, err := a.ses.Renew(ctx); return err },
		"Present": func(ctx context.Context) error { _, err := a.ses.Present(ctx); return err },
		"Enter":   func(ctx context.Context) error { _, err := a.ses.Enter(ctx, mutex("orders")); return err },
		"Wait":    func(ctx context.Context) error { _, err := a.ses.Wait(ctx, p); return err },
		"Swap":    func(ctx context.Context) error { _, err := a.ses.Swap(ctx, p, mutex("orders")); return err },
		"Update":  func(ctx context.Context) error { _, err := a.ses.Update(ctx, p); return err },
		"Leave":   func(ctx context.Context) error { return a.ses.Leave(ctx, "invoices", p.ID) },
		"Get":     func(ctx context.Context) error { _, err := a.drv.Get(ctx, "limit"); return err },
		"Put":     func(ctx context.Context) error { _, err := a.drv.Put(ctx, driver.Put{Key: "limit"}); return err },
		"Watch": func(ctx context.Context) error {
			for _, err := range a.drv.Watch(ctx, driver.Query{Prefix: true}) {
				return err
			}
			return nil
		},
	} {
		ctx, cancel := context.WithCancelCause(t.Context())
		var at time.Time
		timer := time.AfterFunc(20*time.Millisecond, func() { at = time.Now(); cancel(errGaveUp) })
		err := call(ctx)
		timer.Stop()
		if !errors.Is(err, errGaveUp) {
			t.Errorf("%s at a server that hangs: %v", name, err)
			continue
		}
		late = append(late, time.Since(at))
	}
	slices.Sort(late)
	if median := late[len(late)/2]; median > 50*time.Millisecond {
		t.Errorf("calls returned %v after their callers gave up, want 50 ms at most", median)
	}
	began := time.Now()
	if err := a.drv.Close(); err != nil {
		t.Fatal(err)
	}
	if took := time.Since(began); took > time.Second {
		t.Errorf("closing a handle took %v while the server hung", took)
	}
	server.Resume()
	granted(t, wait) // the holder's session has ended
}

// A hand-over is two scripts, however many wait: one leaves and grants, one enters anew.
func TestHandOverCommands(t *testing.T) {
	t.Parallel()
	server := redisserver.Start(t, redisserver.Options{})
	admin := connect(t, server, nil)
	const waiters, rounds = 64, 200
	actors := make([]*actor, waiters)
	for i := range actors {
		actors[i] = newActor(t, server, nil, 10*time.Minute)
	}
	var places [waiters]driver.Place
	var waits [waiters]<-chan error
	join := func(i int) {
		places[i] = actors[i].enter(mutex("orders"))
		waits[i] = actors[i].wait(places[i])
	}
	for i := range waiters {
		join(i)
	}
	for i := range 2 * waiters { // everybody has subscribed by then
		granted(t, waits[i%waiters])
		actors[i%waiters].leave(places[i%waiters])
		join(i % waiters)
	}
	do(t, admin, "CONFIG", "RESETSTAT")
	for i := range rounds {
		i %= waiters
		granted(t, waits[i])
		actors[i].leave(places[i])
		join(i)
	}
	scripts := calls(t, do(t, admin, "INFO", "commandstats").(string), "evalsha", "eval")
	t.Logf("%d scripts for %d hand-overs with %d waiters", scripts, rounds, waiters)
	if scripts > 3*rounds {
		t.Errorf("%d scripts for %d hand-overs, want at most 3 for each", scripts, rounds)
	}
}

// calls counts how often commands were called, by the server's own statistics.
func calls(t *testing.T, stats string, commands ...string) int {
	t.Helper()
	sum := 0
	for _, command := range commands {
		found := regexp.MustCompile(`cmdstat_` + command + `:calls=(\d+)`).FindStringSubmatch(stats)
		if found == nil {
			continue
		}
		n, err := strconv.Atoi(found[1])
		if err != nil {
			t.Fatal(err)
		}
		sum += n
	}
	return sum
}
