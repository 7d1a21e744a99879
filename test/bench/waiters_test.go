package main

import (
	"context"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// processes wait for one lock in the benchmarks below.
const processes = 200

// BenchmarkWaiting leaves processes that wait alone.
func BenchmarkWaiting(b *testing.B) {
	const alone = 10 * time.Second
	var cpu float64
	for range b.N {
		line := queue(b, holdgate.DefaultTTL)
		before := line.usage(b)
		time.Sleep(alone) // what is measured is what happens by itself
		cpu += 100 * float64(line.usage(b).since(before).cpu()) / float64(alone)
	}
	b.ReportMetric(cpu/float64(b.N), "cpu-%")
}

// BenchmarkWaking has a lock go from one waiting process to the next, and reports how
// many that wakes: the next one, and those that run more than they do when left alone.
func BenchmarkWaking(b *testing.B) {
	const handOvers = 20
	var woken float64
	for range b.N {
		line := queue(b, time.Hour) // a long TTL: no heartbeats among it
		others := 0
		for range handOvers {
			others -= line.ranDuring(b, func() {})
			others += line.ranDuring(b, func() { line.handOver(b) })
		}
		woken += 1 + max(0, float64(others)/handOvers)
	}
	b.ReportMetric(woken/float64(b.N), "woken")
}

// ranDuring returns how many of the processes that go on waiting ran while something
// happened, and for a moment after.
func (l *waitingLine) ranDuring(b *testing.B, happens func()) int {
	b.Helper()
	const moment = 200 * time.Millisecond
	end := time.Now().Add(moment)
	before := l.usage(b)
	happens()
	time.Sleep(time.Until(end)) // both windows that are compared have the same length
	return l.usage(b).since(before).ran()
}

// waitingLine is a lock that is held, and the processes that wait for it, in the
// order in which they stand.
type waitingLine struct {
	client  *holdgate.Client
	release func() error // lets go of the lock
	waiting []waiter
}

// waiter is a process that holds the lock, once it has it, until its standard input
// is closed.
type waiter struct {
	pid   int
	stdin io.Closer
}

// queue starts processes that all wait for one lock.
func queue(b *testing.B, ttl time.Duration) *waitingLine {
	b.Helper()
	dir := b.TempDir()
	binary := build(b, dir, nil)
	store := b.TempDir()
	line := &waitingLine{client: newClient(b, openFiles(b, store))}
	hold, err := line.client.Mutex("bench").Lock(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	line.release = func() error { return hold.Release(context.Background()) }
	for i := range processes {
		line.waiting = append(line.waiting, startWaiter(b, binary, store, ttl))
		awaitPlaces(b, line.client, i+2) // one after the other, so that the order is known
	}
	return line
}

func startWaiter(b *testing.B, binary, store string, ttl time.Duration) waiter {
	b.Helper()
	cmd := exec.Command(binary, "run", "-q", "--store", "file://"+store, "--ttl", ttl.String(), "bench", "--", "cat")
	cmd.Stderr = os.Stderr
	stdin, err := cmd.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	return waiter{cmd.Process.Pid, stdin}
}

// handOver lets go of the lock, and returns when the next process in line has it.
func (l *waitingLine) handOver(b *testing.B) {
	b.Helper()
	places := len(l.waiting)
	if err := l.release(); err != nil {
		b.Fatal(err)
	}
	awaitPlaces(b, l.client, places)
	l.release = l.waiting[0].stdin.Close
	l.waiting = l.waiting[1:]
}
