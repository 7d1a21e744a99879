package etcd_test

import (
	"bufio"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// S42: what a hand-over costs the store, counted there, when processes enter again as
// soon as they have left.
func TestOperationsPerHandOver(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name          string
		processes     int
		writes, reads float64 // at most
	}{
		// A short line is followed whole: nothing is read.
		{"short line", 3, 2.2, 0.3},
		{"long line", 16, 2.2, 1.2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			cluster := etcdserver.Start(t, 1)
			const each = 20
			handOver(t, cluster, c.processes, 5) // the tracks are laid
			before := served(t, cluster)
			handOver(t, cluster, c.processes, each)
			after := served(t, cluster)
			per := func(methods ...string) float64 {
				var n float64
				for _, method := range methods {
					n += after[method] - before[method]
				}
				return n / float64(c.processes*each)
			}
			writes, reads := per("Txn", "Put", "DeleteRange"), per("Range")
			t.Logf("%d processes: %.2f writes and %.2f reads per hand-over", c.processes, writes, reads)
			if writes > c.writes || reads > c.reads {
				t.Errorf("got %.2f writes and %.2f reads per hand-over, want at most %.1f and %.1f", writes, reads, c.writes, c.reads)
			}
		})
	}
}

// handOver has each of several processes take one lock so many times.
func handOver(t *testing.T, cluster *etcdserver.Cluster, processes, each int) {
	t.Helper()
	var all sync.WaitGroup
	for range processes {
		ses := openSession(t, newDriver(t, cluster, nil), time.Minute)
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

// served is how many requests of each method a server has answered.
func served(t *testing.T, cluster *etcdserver.Cluster) map[string]float64 {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet,
		fmt.Sprintf("http://%s/metrics", cluster.Members[0].Endpoint()), nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer answer.Body.Close()
	counts := make(map[string]float64)
	for lines := bufio.NewScanner(answer.Body); lines.Scan(); {
		labels, ok := strings.CutPrefix(lines.Text(), "grpc_server_started_total{")
		if !ok {
			continue
		}
		_, behind, _ := strings.Cut(labels, `grpc_method="`)
		method, _, _ := strings.Cut(behind, `"`)
		number := labels[strings.LastIndexByte(labels, ' ')+1:]
		n, err := strconv.ParseFloat(number, 64)
		if err != nil {
			t.Fatal(err)
		}
		counts[method] += n
	}
	if counts["Txn"] == 0 {
		t.Fatal("the server counts no transactions")
	}
	return counts
}
