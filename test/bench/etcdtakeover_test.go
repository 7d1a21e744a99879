package main

import (
	"context"
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// takeOverTTL is the shortest that etcd grants with default settings.
const takeOverTTL = 2 * time.Second

// BenchmarkEtcdTakeOver kills a process that holds a lock by SIGKILL, and reports how long
// after that the next in line has it.
func BenchmarkEtcdTakeOver(b *testing.B) {
	const deaths = 4
	endpoint := etcdserver.Start(b, 1).Members[0].Endpoint()
	c, err := newEtcdClient(seat{Endpoint: endpoint}, &holdgate.Options{TTL: takeOverTTL})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = c.close() }) // the server is about to end
	var took []float64
	for range b.N {
		for range deaths {
			took = append(took, float64(takeOver(b, c.client, endpoint)))
		}
	}
	reportQuantile(b, "p50-ns", took, 0.5)
	b.ReportMetric(slices.Max(took), "worst-ns")
}

// takeOver returns how long after the death of a holder the next has the lock.
func takeOver(b *testing.B, client *holdgate.Client, endpoint string) time.Duration {
	b.Helper()
	holder := startPeer(b, "hold for ever", endpoint)
	var token holdgate.Token
	if err := holder.hear(&token); err != nil {
		b.Fatalf("the holder did not get the lock: %v", err)
	}
	next := make(chan grant, 1)
	go func() { next <- lockNow(b.Context(), client.Mutex("bench")) }() // ends with the wait
	awaitPlaces(b, client, 2)
	died := time.Now()
	holder.kill()
	got := <-next
	switch {
	case got.err != nil:
		b.Fatal(got.err)
	case got.at.Before(died):
		b.Fatal("the lock was granted while its holder lived")
	case got.hold.Token() <= token:
		b.Fatalf("token %v came after %v, want it larger", got.hold.Token(), token)
	}
	if err := got.hold.Release(b.Context()); err != nil {
		b.Fatal(err)
	}
	return got.at.Sub(died)
}

// grant is when somebody got the lock.
type grant struct {
	hold *holdgate.Hold
	at   time.Time
	err  error
}

func lockNow(ctx context.Context, lock holdgate.Mutex) grant {
	hold, err := lock.Lock(ctx)
	return grant{hold, time.Now(), err}
}

// holdForEver takes the lock, says its token, and never gives it back.
func holdForEver(task []byte, talk conversation) error {
	var endpoint string
	if err := json.Unmarshal(task, &endpoint); err != nil {
		return err
	}
	c, err := newEtcdClient(seat{Endpoint: endpoint}, &holdgate.Options{TTL: takeOverTTL})
	if err != nil {
		return err
	}
	hold, err := c.client.Mutex("bench").Lock(context.Background())
	if err != nil {
		return err
	}
	if err := talk.say(hold.Token()); err != nil {
		return err
	}
	<-hold.Done()
	return context.Cause(hold.Context())
}
