//go:build unix

package filedriver_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/drivertest"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	dirs := newDirs()
	drivertest.Run(t, drivertest.Harness{
		Open: func(t testing.TB) func(testing.TB) driver.Driver {
			dir := t.TempDir()
			return func(t testing.TB) driver.Driver { return dirs.open(t, dir) }
		},
		Hooks: drivertest.Hooks{
			AddForeign: func(t testing.TB, d driver.Driver, line string) {
				dir := filepath.Join(dirs.of(d), "lines", line)
				if err := os.MkdirAll(dir, 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, "lock.pid"), []byte("4711\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			},
			RemovePlace: func(t testing.TB, d driver.Driver, line, placeID string) {
				files, err := filepath.Glob(filepath.Join(dirs.of(d), "lines", line, "*-"+placeID+"-*"))
				if err != nil || len(files) != 1 {
					t.Fatalf("files of place %s: %q, %v", placeID, files, err)
				}
				if err := os.Remove(files[0]); err != nil {
					t.Fatal(err)
				}
			},
			EndSession: func(t testing.TB, d driver.Driver, sessionID string) {
				if err := os.Remove(filepath.Join(dirs.of(d), "sessions", sessionID)); err != nil {
					t.Fatal(err)
				}
			},
		},
	})
}
