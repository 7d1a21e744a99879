//go:build unix

package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// losingName is a program of its own in the test: a run whose store is in memory, and goes away
// when the command has begun. It is not in the test itself since run takes all
// children of its process for its own.
const losingName = "holdgate-losing"

// losing runs a command that ignores SIGTERM under a lock, while another client waits for it. It
// prints what that client finds of the command when it is granted the lock.
func losing() {
	store := memdriver.NewStore()
	ours, theirs := store.Connect(nil), store.Connect(nil)
	granted := make(chan string)
	code := exitCode(runLosing(ours, func(pid int) {
		ours.SetLink(memdriver.LinkHangs)
		go func() { granted <- nextOn(theirs, pid) }() // awaited below
	}))
	select {
	case found := <-granted:
		fmt.Println(found)
	case <-time.After(soon):
		fmt.Println("the command never said its number, or nobody got the lock")
	}
	os.Exit(code)
}

// runLosing is run, but for where its store comes from. begun is told the number of the
// command.
func runLosing(drv *memdriver.Driver, begun func(pid int)) error {
	f := &runFlags{}
	f.ttl.d, f.ttl.set = 6*time.Second, true // its guard, 300 ms, is what a busy machine has to end the command
	f.grace.d, f.grace.set = time.Second, true
	client, err := holdgate.New(drv, f.options(os.Getpid(), nil))
	if err != nil {
		return err
	}
	s, err := store.Parse("file:///nowhere", os.Getenv)
	if err != nil {
		return err
	}
	hold, err := client.Mutex("x").Lock(context.Background())
	if err != nil {
		return err
	}
	r := &running{
		runFlags: f, store: s, teller: newTeller(&f.sessionFlags), signals: make(chan os.Signal, 16),
		client: &connection{client, drv}, holder: "us",
	}
	if err = syscall.Mkfifo("number", 0o600); err != nil {
		return err
	}
	go func() { // ends when the command has said its number
		var pid int
		text, _ := os.ReadFile("number")
		_, _ = fmt.Sscan(string(text), &pid)
		begun(pid)
	}()
	_, err = r.under(context.Background(), hold, child.Spec{
		Path: "/bin/sh",
		Args: []string{"sh", "-c", `exec 2>/dev/null; trap 'echo asked' TERM; echo $$ >number; while :; do sleep 0.01; done`},
	})
	return err
}

// nextOn waits for the lock on another connection, and says whether the command still runs.
func nextOn(drv *memdriver.Driver, pid int) string {
	client, err := holdgate.New(drv, nil)
	if err != nil {
		return err.Error()
	}
	if _, err = client.Mutex("x").Lock(context.Background()); err != nil {
		return err.Error()
	}
	if err = syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		return "two at once"
	}
	return "alone"
}

// S70 where sessions expire: the store is cut off while the command runs. It is asked to end, then
// killed, both before the store gives the lock to another; exit code 79.
func TestS70_StoreCutOff(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath(losingName)
	if err != nil {
		t.Fatal(err)
	}
	cmd := setUpProgram(t, t.TempDir(), path)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	var exit *exec.ExitError
	if err = cmd.Run(); !errors.As(err, &exit) || exit.ExitCode() != exitLost {
		t.Errorf("%v, want exit code %d", err, exitLost)
	}
	if got := strings.Fields(stdout.String()); strings.Join(got, " ") != "asked alone" {
		t.Errorf("it went %q, want that it is asked to end, and is gone when the next one begins", got)
	}
	if said := stderr.String(); !strings.HasPrefix(said, "holdgate: lock not renewed in time: it can be believed for another ") {
		t.Errorf("it says %q", said)
	}
}

// Nobody reads what we say, and the pipe is full: the command is ended all the same, in time.
func TestS70_NobodyReads(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath(losingName)
	if err != nil {
		t.Fatal(err)
	}
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reader.Close()
	fill(t, writer)
	cmd := setUpProgram(t, t.TempDir(), path)
	var stdout bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, writer
	err = cmd.Run()
	_ = writer.Close()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitLost {
		t.Errorf("%v, want exit code %d", err, exitLost)
	}
	if got := strings.Fields(stdout.String()); strings.Join(got, " ") != "asked alone" {
		t.Errorf("it went %q, want that it is asked to end, and is gone when the next one begins", got)
	}
}

// fill writes to a pipe until it takes no more.
func fill(t *testing.T, pipe *os.File) {
	t.Helper()
	raw, err := pipe.SyscallConn()
	if err != nil {
		t.Fatal(err)
	}
	if err = raw.Control(func(fd uintptr) {
		_ = syscall.SetNonblock(int(fd), true)
		for n := 1 << 16; n > 0; {
			if _, err := syscall.Write(int(fd), make([]byte, n)); err != nil {
				n /= 2
			}
		}
		_ = syscall.SetNonblock(int(fd), false)
	}); err != nil {
		t.Fatal(err)
	}
}
