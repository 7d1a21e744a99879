package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// daemon is the package of the server.
const daemon = "github.com/holdgate/holdgate/cmd/holdgated"

// BenchmarkMember starts holdgated with one member and no data, and reports how long it
// takes from there to the first lock, and how much memory it uses then.
func BenchmarkMember(b *testing.B) {
	program := filepath.Join(b.TempDir(), "holdgated")
	goTool(b, "build", "-o", program, daemon)
	const starts = 5
	var took, resident []float64
	for range b.N {
		for range starts {
			t, memory := startToFirstLock(b, program)
			took, resident = append(took, float64(t)), append(resident, memory)
		}
	}
	reportQuantile(b, "first-lock-ns", took, 0.5)
	reportQuantile(b, "resident-B", resident, 1)
}

// startToFirstLock starts a member, and ends it.
func startToFirstLock(b *testing.B, program string) (took time.Duration, resident float64) {
	b.Helper()
	// A name that leaves room for a socket.
	dir, err := os.MkdirTemp("", "member")
	if err != nil {
		b.Fatal(err)
	}
	defer os.RemoveAll(dir)
	address := "unix://" + filepath.Join(dir, "socket")
	var log bytes.Buffer
	cmd := exec.Command(program, "--data-dir", filepath.Join(dir, "data"), "--listen", address)
	cmd.Stdout, cmd.Stderr = &log, &log
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}

	begun := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	hold, err := firstLock(b, address)
	took = time.Since(begun)
	if err == nil {
		resident, err = residentBytes(cmd.Process.Pid)
	}
	if err == nil {
		err = hold.Release(b.Context())
	}
	_ = cmd.Process.Kill() // it may have ended
	_ = cmd.Wait()
	if err != nil {
		b.Fatalf("%v; holdgated logged:\n%s", err, log.Bytes())
	}
	return took, resident
}

// firstLock locks as soon as the server lets it.
func firstLock(b *testing.B, address string) (*holdgate.Hold, error) {
	b.Helper()
	c, err := newEtcdClient(seat{Endpoint: address}, nil)
	if err != nil {
		return nil, err
	}
	b.Cleanup(func() { _ = c.close() }) // the server has ended
	return c.client.Mutex("bench").Lock(b.Context())
}

// residentBytes is how much memory a process has.
func residentBytes(pid int) (float64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0, err
	}
	_, text, _ := strings.Cut(string(status), "\nVmRSS:")
	var kib float64
	if _, err := fmt.Sscan(text, &kib); err != nil {
		return 0, fmt.Errorf("VmRSS of process %d: %w", pid, err)
	}
	return kib * (1 << 10), nil
}
