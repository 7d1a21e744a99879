//go:build unix

package filedriver_test

import (
	"crypto/rand"
	"encoding/hex"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func mutex(line string) driver.Claim {
	return driver.Claim{Line: line, ID: newID(), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

func openSession(tb testing.TB, dir, owner string) (driver.Driver, driver.Session) {
	tb.Helper()
	d, err := filedriver.Open(dir, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { _ = d.Close() })
	s, err := d.Open(tb.Context(), driver.SessionOptions{TTL: 10 * time.Second, Owner: owner})
	if err != nil {
		tb.Fatal(err)
	}
	return d, s
}

// BenchmarkFree is a lock that nobody else wants. It reports the processor time too, which
// other work on the machine disturbs less.
func BenchmarkFree(b *testing.B) {
	_, s := openSession(b, b.TempDir(), "bench")
	before := processorTime(b)
	defer func() {
		b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-us/op")
	}()
	for b.Loop() {
		c := mutex("orders")
		if p, err := s.Enter(b.Context(), c); err != nil || !p.Granted {
			b.Fatalf("Enter: %v, granted %v", err, p.Granted)
		}
		if err := s.Leave(b.Context(), c.Line, c.ID); err != nil {
			b.Fatal(err)
		}
	}
}

// processorTime is what this process has used.
func processorTime(b *testing.B) time.Duration {
	b.Helper()
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		b.Fatal(err)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
