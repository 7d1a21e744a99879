package main

import (
	"context"
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
	w, all := ownWitness(b), make(accounts)
	for range b.N {
		for round := range warm + rounds {
			ours := do(b, client, w)
			_, theirs := cycle(b, peer, w)
			if round < warm {
				continue
			}
			for name, took := range map[string]time.Duration{zkDo: ours, zkLock: theirs} {
				all.of(name).round("rate", float64(time.Second)/float64(took))
				all.of(name).sample("cycle", float64(took))
			}
		}
	}
	all.report(b)
	all.ratio("rate", zkDo, zkLock).report(b, "do/peer")
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
