package etcdembed_test

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// From nothing to the first lock: what a program pays that brings its own store, in time
// and, all of the program included, in memory.
func BenchmarkStartToFirstLock(b *testing.B) {
	resident := 0.0
	for b.Loop() {
		dir, err := os.MkdirTemp("", "bench")
		if err != nil {
			b.Fatal(err)
		}
		s, err := etcdembed.Start(b.Context(), etcdembed.Options{Dir: filepath.Join(dir, "data"), Listen: "127.0.0.1:0"})
		if err != nil {
			b.Fatal(err)
		}
		lockOnce(b, s)
		b.StopTimer()
		if resident == 0 { // later ones find what the first has left
			resident = residentMiB(b)
		}
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		os.RemoveAll(dir)
		b.StartTimer()
	}
	b.ReportMetric(resident, "MiB-resident")
}

func residentMiB(b *testing.B) float64 {
	b.Helper()
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("no /proc")
	}
	for line := range strings.Lines(string(status)) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, err := strconv.ParseFloat(strings.Fields(text)[0], 64)
			if err != nil {
				b.Fatal(err)
			}
			return kib / 1024
		}
	}
	b.Fatal("no VmRSS")
	return 0
}

func lockOnce(b *testing.B, s *etcdembed.Server) {
	b.Helper()
	c, err := s.Client()
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	session, err := concurrency.NewSession(c)
	if err != nil {
		b.Fatal(err)
	}
	defer session.Close()
	if err := concurrency.NewMutex(session, "lock").Lock(b.Context()); err != nil {
		b.Fatal(err)
	}
}
