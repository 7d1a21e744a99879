//go:build unix

package main

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// S47 for the command: a name that somebody uses as something else is refused, and they keep
// it.
func TestS47_OtherKind(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	drv, err := filedriver.Open(filepath.Join(dir, "locks"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer drv.Close()
	session, err := drv.Open(t.Context(), driver.SessionOptions{Owner: "ann"})
	if err != nil {
		t.Fatal(err)
	}
	claim := driver.Claim{Line: "x", ID: strings.Repeat("a", 32), Kind: driver.KindSemaphore, Capacity: 4, Units: 1}
	if _, err = session.Enter(t.Context(), claim); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []string{"--wait=1m", "--no-wait"} {
		cmd := program(t, dir, "run", "x", wait, "--", "touch", "started")
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		var exit *exec.ExitError
		if err = cmd.Run(); !errors.As(err, &exit) {
			t.Fatal(err)
		}
		if exit.ExitCode() != exitUsage || !strings.Contains(stderr.String(), "another kind") {
			t.Errorf("%s: exit code %d, it says %q", wait, exit.ExitCode(), &stderr)
		}
	}
	line, err := drv.Line(t.Context(), "x")
	if err != nil || len(line.Places) != 1 || !line.Places[0].Granted {
		t.Errorf("the line is %+v, %v", line, err)
	}
}
