package etcd_test

import (
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// S42: what a hand-over costs the store, counted there, when processes enter again as
// soon as they have left.
func TestOperationsPerHandOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name                string
		processes           int
		writes, reads, told float64 // at most
	}{
		// A short line is followed whole: nothing is read, and each change is told to all.
		{"short line", 3, 2.05, 0.3, 7},
		// In a long one a process is told that the one ahead has gone, also when the line was
		// short before, or its order another.
		{"long line", 16, 2.05, 1.2, 4},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cluster := etcdserver.Start(t, 1)
			const each = 20
			processes := make([]driver.Session, c.processes)
			for i := range processes {
				processes[i] = openSession(t, newDriver(t, cluster, nil), time.Minute)
			}
			handOver(t, processes, 5) // the tracks are laid
			before := cluster.Members[0].Served(t)
			handOver(t, processes, each)
			served := cluster.Members[0].Served(t).Since(before)
			handOvers := float64(c.processes * each)
			writes, reads := served.Writes()/handOvers, served.Reads()/handOvers
			told := served.Told() / handOvers
			t.Logf("%d processes: %.2f writes, %.2f reads and %.2f messages per hand-over", c.processes, writes, reads, told)
			if writes > c.writes || reads > c.reads || told > c.told {
				t.Errorf("got %.2f writes, %.2f reads and %.2f messages per hand-over, want at most %.1f, %.1f and %.1f",
					writes, reads, told, c.writes, c.reads, c.told)
			}
		})
	}
}

// handOver has each of several processes take one lock so many times.
func handOver(t *testing.T, processes []driver.Session, each int) {
	t.Helper()
	var all sync.WaitGroup
	for _, ses := range processes {
		all.Go(func() { // ends after its turns
			for range each {
				c := mutex("orders")
				p, err := ses.Enter(t.Context(), c)
				for err == nil && !p.Granted {
					p, err = ses.Wait(t.Context(), p)
				}
				if err == nil {
					err = ses.Leave(t.Context(), c.Line, c.ID)
				}
				if err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	all.Wait()
}
