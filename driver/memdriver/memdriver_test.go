package memdriver_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// id returns the nth place ID.
func id(n int) string { return fmt.Sprintf("%032x", n) }

// claim returns a mutex's claim with the nth ID.
func claim(line string, n int) driver.Claim {
	return driver.Claim{Line: line, ID: id(n), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

// units returns a semaphore's claim with the nth ID.
func units(line string, n int, capacity, units int64) driver.Claim {
	return driver.Claim{Line: line, ID: id(n), Kind: driver.KindSemaphore, Capacity: capacity, Units: units}
}

func open(t testing.TB, d *memdriver.Driver, ttl time.Duration) driver.Session {
	t.Helper()
	return must(t, d.Open, driver.SessionOptions{TTL: ttl, Owner: "tester"})
}

// must calls an operation that has to work.
func must[A, R any](t testing.TB, op func(context.Context, A) (R, error), arg A) R {
	t.Helper()
	r, err := op(t.Context(), arg)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func wantErr(t testing.TB, got, want error) {
	t.Helper()
	if !errors.Is(got, want) {
		t.Fatalf("got error %v, want %v", got, want)
	}
}
