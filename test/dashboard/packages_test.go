package dashboard_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
)

// nodePackages has npm install those of package-lock.json, where they are not yet, below bin/ at
// the top of the repository. Processes that do so at the same time wait for each other.
func nodePackages(t *testing.T) string {
	t.Helper()
	npm := need(t, "npm")
	dir, err := filepath.Abs("../../bin/dashboard")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, ".lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("package-lock.json")
	if err != nil {
		t.Fatal(err)
	}
	marker := filepath.Join(dir, "installed") // is written last: it says that all of it is there
	if have, err := os.ReadFile(marker); err == nil && string(have) == string(want) {
		return dir
	}
	for _, list := range []string{"package.json", "package-lock.json"} {
		text, err := os.ReadFile(list)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, list), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	install := exec.Command(npm, "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--cache", filepath.Join(dir, "cache"))
	install.Dir = dir
	if out, err := install.CombinedOutput(); err != nil {
		missing(t, "npm", fmt.Errorf("npm ci: %w: %s", err, out))
	}
	if err := os.WriteFile(marker, want, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// need returns the path of a program of Debian's.
func need(t *testing.T, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err != nil {
		missing(t, program, err)
	}
	return path
}

// missing ends a test that lacks a program.
func missing(t *testing.T, program string, err error) {
	t.Helper()
	if os.Getenv("HOLDGATE_REQUIRE_STORES") == "1" {
		t.Fatalf("%s is missing: %v", program, err)
	}
	t.Skipf("%s is missing: %v", program, err)
}
