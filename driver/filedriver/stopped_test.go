//go:build unix

package filedriver

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// TestStoppedHolder keeps its place: nothing expires by time.
func TestStoppedHolder(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	c := startChild(t, "wait", n.dir)
	c.expect("granted")
	c.signal(syscall.SIGSTOP)
	n.awaitStopped(c)
	n.queue(mutexClaim("orders"))
	// Everything that could make somebody think it is dead.
	if _, err := n.s.Renew(t.Context()); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_ = n.session().Close(t.Context())
	}
	l := n.line("orders")
	if len(l.Places) != 2 || !l.Places[0].Granted || l.Places[1].Granted {
		t.Fatalf("behind a holder that is stopped: %+v", l.Places)
	}
	_, err := n.session().Enter(t.Context(), tryClaim(mutexClaim("orders")))
	var busy *driver.BusyError
	if !errors.As(err, &busy) || busy.Head.Owner != "child" {
		t.Fatalf("a try: %v, want busy, held by child", err)
	}
	c.signal(syscall.SIGCONT)
	c.tell("go")
	c.expect("left")
	n.drain()
}

// TestStoppedInside has a process stopped where it has the lock file. Newcomers time
// out, and are told who it is. Those who hold and wait go on.
func TestStoppedInside(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	holder, err := n.s.Enter(t.Context(), mutexClaim("orders"))
	if err != nil {
		t.Fatal(err)
	}
	waiter := n.queue(mutexClaim("orders"))
	c := n.freezeInside()

	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	_, err = n.session().Enter(ctx, mutexClaim("orders"))
	if !errors.Is(err, driver.ErrUnavailable) || !errors.Is(err, context.DeadlineExceeded) {
		t.Fatalf("a newcomer: %v, want unavailable, and the deadline", err)
	}
	file, pid := n.d.stripes[stripeOf("orders")].path, strconv.Itoa(c.cmd.Process.Pid)
	if msg := err.Error(); !strings.Contains(msg, file) || !strings.Contains(msg, "process "+pid) {
		t.Errorf("a newcomer is told %q, want %s and process %s named", msg, file, pid)
	}

	n.leave(holder)
	if got := n.outcome(n.waits[waiter]); got.err != nil || !got.place.Granted {
		t.Errorf("the next in line: %+v, %v", got.place, got.err)
	}
	c.signal(syscall.SIGCONT)
	c.tell("go on")
	c.expect("entered")
	c.kill()
	n.drain()
	n.newcomer("orders")
}

// TestLeaveWithdrawsEnter: a Leave does not wait behind an Enter of its place that
// cannot go on, and that Enter makes no place afterwards.
func TestLeaveWithdrawsEnter(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	c := n.freezeInside()
	claim := mutexClaim("orders")
	entered := make(chan error, 1)
	go func() { // ends by the Leave below
		_, err := n.s.Enter(context.Background(), claim)
		entered <- err
	}()
	for n.s.(*Session).turnOf(claim.ID) == nil {
		time.Sleep(time.Millisecond) // nobody tells
	}
	if err := n.s.Leave(t.Context(), claim.Line, claim.ID); !errors.Is(err, driver.ErrGone) {
		t.Errorf("Leave: %v, want gone", err)
	}
	if err := <-entered; !errors.Is(err, driver.ErrGone) {
		t.Errorf("Enter: %v, want gone", err)
	}
	c.signal(syscall.SIGCONT)
	c.tell("go on")
	c.expect("entered")
	c.kill()
	n.newcomer("orders")
	n.nothingLeft()
}

func (s *Session) turnOf(id string) *turn {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.turns[id]
}

// freezeInside returns a process that is stopped where it has the lock file of "orders".
func (n *neighbour) freezeInside() *child {
	n.Helper()
	c := startChild(n, "freeze", n.dir)
	c.expect("inside")
	c.signal(syscall.SIGSTOP)
	n.awaitStopped(c)
	return c
}

// playFreeze is a process that tells when it has the lock file, and stays there.
func playFreeze(a *actor) {
	a.open()
	a.d.root.step = func(change, _ string) {
		if change == "link" {
			a.say("inside")
			a.await("go on")
		}
	}
	a.enter(mutexClaim("orders"))
	a.say("entered")
	a.await("go")
}

// awaitStopped returns when the kernel says that a process is stopped.
func (n *neighbour) awaitStopped(c *child) {
	n.Helper()
	var status syscall.WaitStatus
	for !status.Stopped() {
		if _, err := syscall.Wait4(c.cmd.Process.Pid, &status, syscall.WUNTRACED, nil); err != nil {
			n.Fatal(err)
		}
	}
}
