//go:build unix

package filedriver

import (
	"context"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// TestInherit kills a wrapper whose child was given its session. The line is free when
// the child has ended, not before.
func TestInherit(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	wrapper := startChild(t, "wrap", n.dir)
	wrapper.expect("wrapped")
	waiter := n.queue(mutexClaim("orders"))
	wrapper.signal(syscall.SIGKILL)
	if _, err := wrapper.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	for range 20 {
		_ = n.session().Close(t.Context())
	}
	if l := n.line("orders"); len(l.Places) != 2 || !l.Places[0].Granted || l.Places[1].Granted {
		t.Fatalf("while the child runs: %+v", l.Places)
	}
	if len(n.waits[waiter]) > 0 {
		t.Fatal("the next one was granted while the child runs")
	}
	// The child ends with its input, which the wrapper passed on.
	if err := wrapper.in.Close(); err != nil {
		t.Fatal(err)
	}
	if got := n.outcome(n.waits[waiter]); got.err != nil || !got.place.Granted {
		t.Fatalf("after the child: %+v, %v", got.place, got.err)
	}
	n.drain()
	n.newcomer("orders")
	n.nothingLeft()
}

// playWrap is a wrapper: it holds, and starts a child that lives by its input.
func playWrap(a *actor) {
	a.open()
	a.enter(mutexClaim("orders"))
	files, err := a.s.(driver.Inheriter).Inherit()
	a.must(err)
	cmd := exec.CommandContext(context.Background(), "cat")
	cmd.Stdin, cmd.ExtraFiles = os.Stdin, files
	a.must(cmd.Start())
	a.say("wrapped")
	a.must(cmd.Wait()) // the test kills this process before
}
