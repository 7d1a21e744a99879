package main

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// BenchmarkZooKeeperDo compares how long a caller waits for a lock around a function: Do
// does not wait until the lock is back in the store. The peer knows no other way.
func BenchmarkZooKeeperDo(b *testing.B) {
	const rounds, warm = 500, 200
	server := startZK(b)
	p, err := openZKClient(holdgate.Handoff{})(b.Context(), seat{Endpoint: server.Address(), Of: 1})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = p.close() }) // the server is about to end
	client := p.(*zkClient).client
	peer := openLocker(b, zkLock, server.Address())
	w, err := openWitness(filepath.Join(b.TempDir(), "witness"))
	if err != nil {
		b.Fatal(err)
	}
	var ours, theirs []float64
	for range b.N {
		for round := range warm + rounds {
			t, u := do(b, client, w), cycle(b, peer, w)
			if round >= warm {
				ours, theirs = append(ours, float64(t)), append(theirs, float64(u))
			}
		}
	}
	reportMedians(b, map[string][]float64{"/do": ours, "/peer": theirs}, "-ns")
	ratioOfMedians(theirs, ours).report(b, "do/peer")
}

// do returns how long Do takes without what is done, and returns once the lock is back.
func do(b *testing.B, c *holdgate.Client, w witness) time.Duration {
	b.Helper()
	var inside time.Duration
	begun := time.Now()
	err := c.Do(b.Context(), "do", func(context.Context, *holdgate.Hold) error {
		had := time.Now()
		w.pass()
		inside = time.Since(had)
		return nil
	})
	took := time.Since(begun) - inside
	if err != nil {
		b.Fatal(err)
	}
	for {
		line, err := c.Line(b.Context(), "do")
		if err != nil {
			b.Fatal(err)
		}
		if len(line.Places) == 0 {
			return took
		}
	}
}
