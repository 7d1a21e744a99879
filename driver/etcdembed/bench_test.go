package etcdembed_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.etcd.io/etcd/client/v3/concurrency"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// From nothing to the first lock: what a program pays that brings its own store.
func BenchmarkStartToFirstLock(b *testing.B) {
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
		if err := s.Close(); err != nil {
			b.Fatal(err)
		}
		os.RemoveAll(dir)
		b.StartTimer()
	}
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
