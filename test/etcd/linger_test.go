package etcd_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// lingering is a client whose released locks linger on etcd, and its way to die.
func lingering(t *testing.T, cluster *etcdserver.Cluster) (c *holdgate.Client, die func()) {
	t.Helper()
	d := newDriver(t, cluster, nil)
	c, err := holdgate.New(d, &holdgate.Options{TTL: 2 * time.Second, Linger: holdgate.MaxLinger})
	if err != nil {
		t.Fatal(err)
	}
	// Whoever is dead gives nothing back, and its session expires.
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		_ = c.Close(ctx)
	})
	return c, func() { _ = d.Close() }
}

// use takes the lock and releases it, and returns its token and place.
func use(t *testing.T, c *holdgate.Client, name string) (token holdgate.Token, place string) {
	t.Helper()
	h, err := c.Mutex(name).Lock(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	token, place = h.Token(), h.PlaceID()
	if err := h.Release(t.Context()); err != nil {
		t.Fatal(err)
	}
	return token, place
}

// keep uses the lock until it lingers: until a place serves for the second time.
func keep(t *testing.T, c *holdgate.Client, name string) (holdgate.Token, string) {
	t.Helper()
	_, last := use(t, c, name)
	for {
		token, place := use(t, c, name)
		if place == last {
			return token, place
		}
		last = place
	}
}

// A lock that lingers costs the store nothing while nobody else wants it, and gives way as soon
// as somebody does.
func TestLinger(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	member := cluster.Leader(t)
	a, _ := lingering(t, cluster)
	b, _ := lingering(t, cluster)
	keep(t, a, "orders")
	before := member.Served(t)
	places := make(map[string]bool)
	const locks = 1000
	for range locks {
		_, place := use(t, a, "orders")
		places[place] = true
	}
	// A Swap for each place but the first; and the machine may have been elsewhere for longer
	// than a lock lingers.
	if n := member.Served(t).Since(before).Writes(); n > float64(2*len(places)+5) || len(places) > locks/10 {
		t.Errorf("%v writes and %d places for %d locks", n, len(places), locks)
	}
	last, _ := use(t, a, "orders")
	if token, _ := use(t, b, "orders"); token <= last {
		t.Errorf("token %v after %v", token, last)
	}
}

// Whoever waits for a process that died while it kept a lock waits for its TTL.
func TestLingerHolderKilled(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	b, _ := lingering(t, cluster)
	use(t, b, "warm")
	for {
		a, die := lingering(t, cluster)
		last, place := keep(t, a, "orders")
		die()
		line, err := b.Line(t.Context(), "orders")
		if err != nil {
			t.Fatal(err)
		}
		if len(line.Places) == 0 || line.Places[0].ID != place {
			continue // it was given back before it died
		}
		begun := time.Now()
		token, _ := use(t, b, "orders")
		if token <= last {
			t.Errorf("token %v after %v", token, last)
		}
		t.Logf("granted %v after the end of the process that kept it", time.Since(begun).Round(time.Millisecond))
		return
	}
}
