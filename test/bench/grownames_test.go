package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// These take a lock that nobody wants: after other names were locked and given back, and
// while other sessions hold a lock each.

func BenchmarkEtcdNames(b *testing.B)      { grow(b, etcdGround, usedNames) }
func BenchmarkRedisNames(b *testing.B)     { grow(b, redisGround, usedNames) }
func BenchmarkMemoryNames(b *testing.B)    { grow(b, memoryGround, usedNames) }
func BenchmarkEtcdSessions(b *testing.B)   { grow(b, etcdGround, otherSessions) }
func BenchmarkRedisSessions(b *testing.B)  { grow(b, redisGround, otherSessions) }
func BenchmarkMemorySessions(b *testing.B) { grow(b, memoryGround, otherSessions) }

// usedNames locks other names once.
func usedNames(b *testing.B, g ground, n int, smaller map[int]float64) float64 {
	client := g.client(b, &holdgate.Options{TTL: etcdTTL})
	if err := lockAndRelease(b.Context(), client.Mutex("first")); err != nil { // opens the session
		b.Fatal(err)
	}
	before := heapInUse()
	atOnceFor(b, n, func(i int) error {
		return lockAndRelease(b.Context(), client.Mutex(fmt.Sprintf("used/%d", i)))
	})
	if n >= heapCounts {
		b.ReportMetric(max(0, float64(heapInUse()-before)/float64(n)), "heap-B")
	}
	return freeBeside(b, client, n, smaller)
}

// otherSessions opens sessions over one connection, and has each hold a lock.
func otherSessions(b *testing.B, g ground, n int, smaller map[int]float64) float64 {
	shared := g.connect(b)
	atOnceFor(b, n, func(i int) error {
		s, err := shared.Open(b.Context(), driver.SessionOptions{TTL: etcdTTL})
		if err != nil {
			return err
		}
		l := placeLocker{session: s, line: fmt.Sprintf("other/%d", i)}
		return l.lock(b.Context())
	})
	return freeBeside(b, g.client(b, &holdgate.Options{TTL: etcdTTL}), n, smaller)
}

// freeBeside takes a lock that nobody wants, for some time, and returns the median of how
// long that takes.
func freeBeside(b *testing.B, client *holdgate.Client, n int, smaller map[int]float64) float64 {
	b.Helper()
	const warm, length = 50, 1500 * time.Millisecond
	l, w := &clientLocker{mutex: client.Mutex("measured")}, ownWitness(b)
	for range warm {
		cycle(b, l, w)
	}
	var took []float64
	for begun := time.Now(); time.Since(begun) < length; {
		_, both := cycle(b, l, w)
		took = append(took, float64(both))
	}
	reportQuantile(b, "cycle-p50-ns", took, 0.5)
	reportQuantile(b, "cycle-p99-ns", took, 0.99)
	median, _ := quantileWithin(took, 0.5)
	if one, ok := smaller[1]; ok && n > 1 {
		b.ReportMetric(median/one, "cycle/one")
	}
	return median
}
