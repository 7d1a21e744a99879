package examples_test

import (
	"bytes"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = 2 * time.Minute

// build builds a program of the folder examples, and returns its file.
func build(t *testing.T, name string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	cmd := exec.CommandContext(t.Context(), "go", "build", "-o", file, "github.com/holdgate/holdgate/examples/"+name)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	return file
}

// process is a program that was started.
type process struct {
	t      *testing.T
	cmd    *exec.Cmd
	exited chan struct{}
	// These may be read once exited is closed.
	said bytes.Buffer
	err  error
}

// start starts a program, which is killed with the test.
func start(t *testing.T, file string, args ...string) *process {
	t.Helper()
	p := &process{t: t, cmd: exec.Command(file, args...), exited: make(chan struct{})}
	p.cmd.Stderr = &p.said
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() { // ends with the program
		p.err = p.cmd.Wait()
		close(p.exited)
	}()
	t.Cleanup(p.kill)
	return p
}

// kill kills the program, and returns when it is gone.
func (p *process) kill() {
	_ = p.cmd.Process.Kill() // unless it has ended
	<-p.exited
}

// wantEnd waits until the program has ended, without an error, and has said this.
func (p *process) wantEnd(text string) {
	p.t.Helper()
	select {
	case <-p.exited:
	case <-time.After(soon):
		p.kill()
		p.t.Fatalf("%v does not end; it says\n%s", p.cmd.Args[1:], &p.said)
	}
	if p.err != nil || !strings.Contains(p.said.String(), text) {
		p.t.Errorf("%v: %v, want that it says %q:\n%s", p.cmd.Args[1:], p.err, text, &p.said)
	}
}

// receive waits for what comes from a channel.
func receive[T any](t *testing.T, from <-chan T, what string) (value T) {
	t.Helper()
	select {
	case value = <-from:
	case <-time.After(soon):
		t.Fatalf("%s: it never came", what)
	}
	return value
}
