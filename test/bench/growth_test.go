package main

import (
	"context"
	"fmt"
	"sync"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// sizes are how many there are of what grows.
func sizes() []int { return []int{1, 10, 100, 1_000, 10_000} }

// ground is a store on which something grows.
type ground struct {
	// connect returns a driver with a connection of its own. It ends with the benchmark.
	connect func(b *testing.B) driver.Driver
	// server is nil for the store in memory, which costs its clients what it costs.
	server *store
}

// memoryGround is a store in memory.
func memoryGround(*testing.B) ground {
	memory := memdriver.NewStore()
	return ground{connect: func(*testing.B) driver.Driver { return memory.Connect(nil) }}
}

func etcdGround(b *testing.B) ground {
	b.Helper()
	s := startEtcd(b)
	return ground{func(b *testing.B) driver.Driver {
		b.Helper()
		d, err := newEtcdDriver(seat{Endpoint: s.endpoint})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = d.close() }) // the server is about to end
		return d.Driver
	}, &s}
}

func redisGround(b *testing.B) ground {
	b.Helper()
	s := startRedis(b)
	return ground{func(b *testing.B) driver.Driver {
		b.Helper()
		d, err := newRedisDriver(seat{Endpoint: s.endpoint})
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { _ = d.close() }) // the server is about to end
		return d.Driver
	}, &s}
}

// grow runs a benchmark for each size, on a new store each. It is handed what it returned for
// the smaller sizes.
func grow(b *testing.B, prepare func(*testing.B) ground, measure func(b *testing.B, g ground, n int, smaller map[int]float64) float64) {
	b.Helper()
	found := make(map[int]float64)
	for _, n := range sizes() {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			g := prepare(b)
			for range b.N {
				found[n] = measure(b, g, n, found)
			}
		})
	}
}

// client returns a client with a connection of its own, that ends with the benchmark.
func (g ground) client(b *testing.B, o *holdgate.Options) *holdgate.Client {
	b.Helper()
	c, err := holdgate.New(g.connect(b), o)
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.Close(context.Background()) })
	return c
}

// cost measures something on the store, as far as it has a server.
func (g ground) cost(b *testing.B, act func()) cost {
	b.Helper()
	if g.server != nil {
		return g.server.costOf(b, act)
	}
	before := readOwnUse()
	act()
	used := readOwnUse().since(before)
	return cost{clients: used.CPU, mallocs: used.Mallocs}
}

// lanes is how many goroutines prepare a size.
const lanes = 64

// atOnceFor calls do with the numbers 0 to n-1, some at the same time.
func atOnceFor(b *testing.B, n int, do func(i int) error) {
	b.Helper()
	next, errs := make(chan int), make([]error, lanes)
	var all sync.WaitGroup
	for lane := range lanes {
		all.Go(func() { // ends with the numbers
			for i := range next {
				if err := do(i); err != nil {
					errs[lane] = err
				}
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	all.Wait()
	for _, err := range errs {
		if err != nil {
			b.Fatal(err)
		}
	}
}
