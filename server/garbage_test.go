package server_test

import (
	"context"
	"math/rand/v2"
	"net/http/httptest"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestGarbage sends requests that are almost right: an operation of the API with a part of
// it replaced by something else. HOLDGATE_SOAK sends a million.
func TestGarbage(t *testing.T) {
	t.Parallel()
	requests := 5_000
	if os.Getenv("HOLDGATE_SOAK") != "" {
		requests = 1_000_000
	}
	s := fuzzed(t)
	g := newGarbage(read(t, s.server.OpenAPI()))
	before := runtime.NumGoroutine()
	for range requests {
		r := s.request(g.next())
		if r == nil {
			continue
		}
		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Millisecond)
		w := httptest.NewRecorder()
		s.server.ServeHTTP(w, r.WithContext(ctx))
		cancel()
		s.check(t, w)
		if t.Failed() {
			t.Fatalf("the request was %s %s", r.Method, r.URL)
		}
	}
	// What is left are those of other tests, the server's own, and no more with each request.
	for until := time.Now().Add(patience); runtime.NumGoroutine() > before+requests/20; {
		if time.Now().After(until) {
			t.Fatalf("%d goroutines after %d requests, %d before", runtime.NumGoroutine(), requests, before)
		}
		runtime.Gosched()
	}
}

// garbage makes requests. It is the same sequence in every run.
type garbage struct {
	rng     *rand.Rand
	methods []string
	paths   []string
	params  []string
	words   []string
}

func newGarbage(d document) *garbage {
	g := &garbage{rng: rand.New(rand.NewPCG(1, 2)), methods: []string{"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "X"}}
	for path, methods := range d.Paths {
		g.paths = append(g.paths, path)
		for _, op := range methods {
			for _, p := range op.Parameters {
				if p.In == "query" {
					g.params = append(g.params, p.Name)
				}
			}
		}
	}
	g.words = []string{
		"", "a", "0", "1", "-1", "1ms", "read", "SESSION", "00000000000000000000000000000001", "%00", "%ff", "%2F%2e%2e", "{}", "null",
		"true", "18446744073709551616", strings.Repeat("x", 600), "%F0%9F%92%A9", "1e9", ";", "%", "*",
	}
	return g
}

func (g *garbage) pick(from []string) string { return from[g.rng.IntN(len(from))] }

func (g *garbage) next() (method, target, header, body string) {
	path := strings.NewReplacer("{session}", g.word("SESSION"), "{place}", g.word("00000000000000000000000000000001")).Replace(g.pick(g.paths))
	var query []string
	for range g.rng.IntN(4) {
		query = append(query, g.pick(g.params)+"="+g.pick(g.words))
	}
	header = g.pick([]string{"", "Idempotency-Key: k", "If-Match: 1", "Last-Event-ID: x", "Content-Type: x/y", "Accept: *", "Content-Type: ;+"})
	return g.pick(g.methods), path + "?" + strings.Join(query, "&"), header, g.json(3)
}

// word is mostly what it should be.
func (g *garbage) word(right string) string {
	if g.rng.IntN(3) > 0 {
		return right
	}
	return g.pick(g.words)
}

// json is something like JSON.
func (g *garbage) json(depth int) string {
	switch g.rng.IntN(6) {
	case 0:
		return g.pick([]string{"", "null", "1", "-1", "1e999", `"a"`, "[]", "{", "\xff", `"\u0000"`, "true"})
	case 1:
		if depth > 0 {
			return "[" + g.json(depth-1) + "]"
		}
	}
	fields := []string{"line", "id", "kind", "capacity", "units", "data", "try", "ttl_ms", "owner", "claims", "version", "key", "value", "place", "reason", "x"}
	values := []string{`"a"`, `"mutex"`, "1", "0", "-5", "2.5", "null", `"00000000000000000000000000000001"`, `""`, "true", `{"a":"b"}`, `"` + strings.Repeat("y", 600) + `"`, "9007199254740993"}
	var parts []string
	for range g.rng.IntN(7) {
		value := g.pick(values)
		if depth > 0 && g.rng.IntN(8) == 0 {
			value = g.json(depth - 1)
		}
		parts = append(parts, `"`+g.pick(fields)+`":`+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
