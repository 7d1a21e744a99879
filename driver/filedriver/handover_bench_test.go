//go:build unix

package filedriver

import (
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"
	"time"
)

// BenchmarkHandOver hands a lock back and forth between two processes, of which one
// waits each time. It reports how long after the call of Leave began the other one
// knew that it holds: the median, and the worst of a hundred.
func BenchmarkHandOver(b *testing.B) {
	n := newNeighbour(b)
	c := startChild(b, "relay", n.dir)
	took := make([]time.Duration, 0, b.N)
	p, err := n.s.Enter(b.Context(), mutexClaim("orders"))
	if err != nil {
		b.Fatal(err)
	}
	for range b.N {
		c.tell("next")
		n.awaitSleepers("orders", 1)
		began := time.Now()
		n.leave(p)
		ended, err := strconv.ParseInt(c.expect("granted"), 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		took = append(took, time.Unix(0, ended).Sub(began))
		if p, err = n.s.Enter(b.Context(), mutexClaim("orders")); err != nil {
			b.Fatal(err)
		}
		c.tell("leave")
		if p, err = n.s.Wait(b.Context(), p); err != nil {
			b.Fatal(err)
		}
	}
	slices.Sort(took)
	b.ReportMetric(float64(took[len(took)/2].Microseconds()), "p50-us")
	b.ReportMetric(float64(took[len(took)*99/100].Microseconds()), "p99-us")
	b.ReportMetric(0, "ns/op") // mostly what the test itself does
}

// playRelay is the other one. The clock of the machine is the same for both.
func playRelay(a *actor) {
	a.open()
	for {
		a.await("next")
		p, err := a.s.Wait(ctx(), a.enter(mutexClaim("orders")))
		a.must(err)
		a.say("granted", time.Now().UnixNano())
		a.await("leave")
		a.must(a.s.Leave(ctx(), p.Line, p.ID))
	}
}

// BenchmarkWaiting has 200 processes wait, and reports which part of one core they use,
// all together: in the first ten seconds, and in the half minute after that.
func BenchmarkWaiting(b *testing.B) {
	n := newNeighbour(b)
	if _, err := n.s.Enter(b.Context(), mutexClaim("orders")); err != nil {
		b.Fatal(err)
	}
	children := n.startWaiters(200)
	watch := func(d time.Duration, unit string) {
		before := cpuTime(b, children)
		time.Sleep(d) // what is measured
		b.ReportMetric(100*float64(cpuTime(b, children)-before)/float64(d), unit)
	}
	for range b.N {
		watch(10*time.Second, "%core-first")
		watch(30*time.Second, "%core-later")
	}
}

// cpuTime returns what processes have used, as the scheduler counts it.
func cpuTime(b *testing.B, children []*child) time.Duration {
	b.Helper()
	var sum time.Duration
	for _, c := range children {
		tasks, err := os.ReadDir(fmt.Sprintf("/proc/%d/task", c.cmd.Process.Pid))
		if err != nil {
			b.Fatal(err)
		}
		for _, task := range tasks {
			content, err := os.ReadFile(fmt.Sprintf("/proc/%d/task/%s/schedstat", c.cmd.Process.Pid, task.Name()))
			if err != nil {
				b.Fatal(err)
			}
			var ran int64
			if _, err := fmt.Sscan(string(content), &ran); err != nil {
				b.Fatal(err)
			}
			sum += time.Duration(ran)
		}
	}
	return sum
}
