package redis_test

import (
	"encoding/binary"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/redisserver"
)

// startWithClock starts a server whose clock can be set off by whole seconds.
func startWithClock(t *testing.T) (s *redisserver.Server, set func(offset time.Duration)) {
	t.Helper()
	dir := t.TempDir()
	library, file := filepath.Join(dir, "clock.so"), filepath.Join(dir, "offset")
	out, err := exec.CommandContext(t.Context(), "gcc", "-shared", "-fPIC", "-O1", "-o", library, "testdata/clock.c", "-ldl").CombinedOutput()
	switch {
	case err == nil:
	case os.Getenv("HOLDGATE_REQUIRE_STORES") == "1":
		t.Fatalf("gcc: %v\n%s", err, out)
	default:
		t.Skipf("a clock that can be set needs gcc (Debian: apt-get install gcc libc6-dev): %v\n%s", err, out)
	}
	set = func(offset time.Duration) {
		t.Helper()
		f, err := os.OpenFile(file, os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		// In place, and in one go: the server has the file mapped.
		if _, err := f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(offset/time.Second)), 0); err != nil {
			t.Fatal(err)
		}
	}
	set(0)
	return redisserver.Start(t, redisserver.Options{Environment: []string{
		"LD_PRELOAD=" + library, "CLOCK_OFFSET=" + file,
	}}), set
}
