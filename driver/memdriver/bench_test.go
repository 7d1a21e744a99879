package memdriver_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// A free lock and unlock: the floor of what the product can do in memory.
func BenchmarkEnterLeave(b *testing.B) {
	ctx, s := b.Context(), open(b, memdriver.New(), time.Minute)
	c := claim("orders/42", 0)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Enter(ctx, c); err != nil {
			b.Fatal(err)
		}
		if err := s.Leave(ctx, c.Line, c.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// A release that hands over to the next of many: it must not cost more for each one
// who waits.
func BenchmarkHandOver(b *testing.B) {
	for _, waiters := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint("waiters=", waiters), func(b *testing.B) {
			s := open(b, memdriver.New(), time.Hour)
			n := 0
			enter := func() { n++; must(b, s.Enter, claim("orders/42", n)) }
			for range waiters + 1 {
				enter()
			}
			head := 0
			b.ReportAllocs()
			for b.Loop() {
				head++
				if err := s.Leave(b.Context(), "orders/42", id(head)); err != nil {
					b.Fatal(err)
				}
				enter()
			}
		})
	}
}

// A wake-up of a waiting goroutine, from the Leave to the return of its Wait.
func BenchmarkWakeUp(b *testing.B) {
	ctx, s := b.Context(), open(b, memdriver.New(), time.Hour)
	must(b, s.Enter, claim("l", 0))
	b.ReportAllocs()
	n := 0
	for b.Loop() {
		n++
		p := must(b, s.Enter, claim("l", n))
		got := make(chan error, 1)
		go func() { _, err := s.Wait(ctx, p); got <- err }()
		if err := s.Leave(ctx, "l", id(n-1)); err != nil {
			b.Fatal(err)
		}
		if err := <-got; err != nil {
			b.Fatal(err)
		}
	}
}

// Readers share a line: entering must not cost more for each one who is there.
func BenchmarkReaders(b *testing.B) {
	for _, readers := range []int{1, 10_000} {
		b.Run(fmt.Sprint("readers=", readers), func(b *testing.B) {
			s := open(b, memdriver.New(), time.Hour)
			reader := func(n int) driver.Claim {
				c := claim("catalog", n)
				c.Kind, c.Capacity = driver.KindRW, driver.MaxCapacity
				return c
			}
			for n := range readers {
				must(b, s.Enter, reader(n))
			}
			c := reader(readers)
			for b.Loop() {
				must(b, s.Enter, c)
				if err := s.Leave(b.Context(), c.Line, c.ID); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// Heartbeats of many sessions.
func BenchmarkRenew(b *testing.B) {
	d := memdriver.New()
	sessions := make([]driver.Session, 1_000)
	for i := range sessions {
		sessions[i] = open(b, d, time.Minute)
	}
	i := 0
	for b.Loop() {
		if _, err := sessions[i%len(sessions)].Renew(context.Background()); err != nil {
			b.Fatal(err)
		}
		i++
	}
}
