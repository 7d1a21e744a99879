package filedriver

import (
	"slices"
	"syscall"
	"testing"
)

// A wrapper is killed while its child has the session: that is told, and who has it.
func TestOrphaned(t *testing.T) {
	t.Parallel()
	n := newNeighbour(t)
	wrapper := startChild(t, "wrap", n.dir)
	wrapper.expect("wrapped")
	session := n.line("orders").Places[0].Session
	pid := wrapper.cmd.Process.Pid
	if got, orphaned := n.d.Orphaned(session); orphaned || got != pid {
		t.Errorf("while it lives: %d, %v, want %d, false", got, orphaned, pid)
	}
	if got := n.d.Keepers(session); len(got) != 2 || !slices.Contains(got, pid) {
		t.Errorf("while it lives it is kept by %v, want by %d and its child", got, pid)
	}
	waiter := n.queue(mutexClaim("orders"))
	wrapper.signal(syscall.SIGKILL)
	if _, err := wrapper.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, orphaned := n.d.Orphaned(session); !orphaned || got != pid {
		t.Errorf("when it has ended: %d, %v, want %d, true", got, orphaned, pid)
	}
	if got := n.d.Keepers(session); len(got) != 1 || got[0] == pid {
		t.Errorf("it is kept by %v, want by the child of %d", got, pid)
	}
	if got, orphaned := n.d.Orphaned("nobody's"); orphaned || got != 0 {
		t.Errorf("a session that is not there: %d, %v", got, orphaned)
	}
	if err := wrapper.in.Close(); err != nil {
		t.Fatal(err)
	}
	if got := n.outcome(n.waits[waiter]); got.err != nil || !got.place.Granted {
		t.Fatalf("after the child: %+v, %v", got.place, got.err)
	}
	n.drain()
	n.nothingLeft()
}

// A number that was given to another process is not taken for the one that ended.
func TestEndedThoughItsNumberLives(t *testing.T) {
	t.Parallel()
	own := thisProcess()
	if ended(own) {
		t.Error("this process is said to have ended")
	}
	own.Started = "1"
	if !ended(own) {
		t.Error("another process is taken for one that had its number")
	}
}
