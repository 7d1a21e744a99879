//go:build unix

package filedriver_test

import (
	"sync"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// dirs remembers which directory a handle is on.
type dirs struct {
	mu sync.Mutex
	m  map[driver.Driver]string
}

func newDirs() *dirs { return &dirs{m: map[driver.Driver]string{}} }

func (s *dirs) open(t testing.TB, dir string) driver.Driver {
	t.Helper()
	d, err := filedriver.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.m[d] = dir
	return d
}

func (s *dirs) of(d driver.Driver) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.m[d]
}
