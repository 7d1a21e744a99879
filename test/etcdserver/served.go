package etcdserver

import (
	"bufio"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
)

// Served is what a member has done for its clients.
type Served struct {
	requests map[string]float64 // by method
	told     float64
	commits  float64
}

// Served asks a member for its own count.
func (m *Member) Served(tb testing.TB) Served {
	tb.Helper()
	request, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, "http://"+m.client+"/metrics", nil)
	if err != nil {
		tb.Fatal(err)
	}
	answer, err := http.DefaultClient.Do(request)
	if err != nil {
		tb.Fatal(err)
	}
	defer answer.Body.Close()
	served, err := parseServed(answer.Body)
	if err != nil {
		tb.Fatal(err)
	}
	if _, counted := served.requests["Txn"]; !counted || served.commits == 0 {
		tb.Fatal("the server does not count its requests")
	}
	return served
}

// parseServed reads lines such as grpc_server_started_total{grpc_method="Txn",...} 7.
func parseServed(metrics io.Reader) (Served, error) {
	served := Served{requests: make(map[string]float64)}
	lines := bufio.NewScanner(metrics)
	for lines.Scan() {
		if text, ok := strings.CutPrefix(lines.Text(), "etcd_server_proposals_committed_total "); ok {
			n, err := strconv.ParseFloat(text, 64)
			if err != nil {
				return Served{}, err
			}
			served.commits = n
			continue
		}
		name, labels, _ := strings.Cut(lines.Text(), "{")
		if name != "grpc_server_started_total" && name != "grpc_server_msg_sent_total" {
			continue
		}
		_, behind, _ := strings.Cut(labels, `grpc_method="`)
		method, _, _ := strings.Cut(behind, `"`)
		n, err := strconv.ParseFloat(labels[strings.LastIndexByte(labels, ' ')+1:], 64)
		switch {
		case err != nil:
			return Served{}, err
		case name == "grpc_server_started_total":
			served.requests[method] += n
		case method == "Watch":
			served.told += n
		}
	}
	return served, lines.Err()
}

// Since is what came after an earlier count.
func (s Served) Since(before Served) Served {
	since := Served{requests: make(map[string]float64), told: s.told - before.told, commits: s.commits - before.commits}
	for method, n := range s.requests {
		since.requests[method] = n - before.requests[method]
	}
	return since
}

// Writes counts the requests that may write. Some transactions only read.
func (s Served) Writes() float64 {
	return s.requests["Txn"] + s.requests["Put"] + s.requests["DeleteRange"]
}

// Reads counts the others, without transactions that only read.
func (s Served) Reads() float64 { return s.requests["Range"] }

// Told counts the messages that watches brought.
func (s Served) Told() float64 { return s.told }

// Commits counts what the members agreed on, and wrote down.
func (s Served) Commits() float64 { return s.commits }
