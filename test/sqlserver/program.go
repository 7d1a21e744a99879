package sqlserver

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"
	"time"
)

// readyIn is how long a server may take to serve: far more than it does on a busy machine.
const readyIn = 2 * time.Minute

// program returns the path of a server's program, or ends the test without it. Debian has
// none of them where commands are looked for.
func program(tb testing.TB, name, debian string, dirs ...string) string {
	tb.Helper()
	if path, err := exec.LookPath(name); err == nil {
		return resolve(path)
	}
	for _, dir := range dirs {
		found, _ := filepath.Glob(filepath.Join(dir, name)) // the pattern is ours
		if len(found) > 0 {
			return slices.Max(found) // the newest version
		}
	}
	const format = "%s is missing (Debian: apt-get install %s)"
	if os.Getenv("HOLDGATE_REQUIRE_STORES") == "1" {
		tb.Fatalf(format, name, debian)
	}
	tb.Skipf(format, name, debian)
	return ""
}

// resolve follows links: PostgreSQL looks for its files beside its program.
func resolve(path string) string {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		return target
	}
	return path
}

// shortDir is a directory for a server. The name of a test would make the path of a socket
// in it too long.
func shortDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "sql")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}
