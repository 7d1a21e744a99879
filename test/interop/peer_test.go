package interop_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// patience is how long a step may take that has to come. The longest is two hundred rounds
// of a peer that starts a process for each and waits for 0.1 s every time, since that is how
// etcd's own locks see a release: half a minute, and ten times that on a machine that is
// very busy.
const patience = 10 * time.Minute

// peer is a process of other software that takes orders, one a line, and answers each with
// a word when it is done:
//
//	lock             locked
//	unlock           unlocked
//	count N FILE     counted, after N steps of the counter, each under the lock, and a rest
//	race N FILE      counted, after N steps without it
//
// At first it says that it is ready.
type peer struct {
	orders  io.Writer
	answers <-chan string // closed when the process has ended
}

// startPeer starts a peer, which ends with the test.
func startPeer(t *testing.T, cmd *exec.Cmd) *peer {
	t.Helper()
	orders, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var said buffer
	cmd.Stderr = &said
	// With all that it has started.
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	answers := make(chan string, 10)
	// Ends with the process, which is killed with the test.
	go func() {
		defer close(answers)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			answers <- lines.Text()
		}
		_ = cmd.Wait()
	}()
	t.Cleanup(func() {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
		for range answers { // until it has ended
		}
		if t.Failed() {
			t.Logf("the other software said:\n%s", said.String())
		}
	})
	p := &peer{orders: orders, answers: answers}
	p.answersWith(t, "ready")
	return p
}

// order gives an order, which is answered later.
func (p *peer) order(t *testing.T, format string, args ...any) {
	t.Helper()
	if _, err := fmt.Fprintf(p.orders, format+"\n", args...); err != nil {
		t.Fatalf("the other software takes no orders: %v", err)
	}
}

// answersWith waits for an answer.
func (p *peer) answersWith(t *testing.T, want string) {
	t.Helper()
	limit := time.NewTimer(patience)
	defer limit.Stop()
	select {
	case got, ok := <-p.answers:
		if !ok {
			t.Fatalf("the other software ended before it had %s", want)
		}
		if strings.TrimSpace(got) != want {
			t.Fatalf("the other software said %q, want %q", got, want)
		}
	case <-limit.C:
		t.Fatalf("the other software has not %s for %v", want, patience)
	}
}

// silent reports whether it has not answered yet.
func (p *peer) silent() bool { return len(p.answers) == 0 }

// buffer is written to and read at the same time.
type buffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}
