package etcdembed_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

func TestStartReturnsWhenItServes(t *testing.T) {
	t.Parallel()
	o := alone(t)
	s := start(t, o)
	put(t, client(t, s), "a")

	info, err := os.Stat(o.Dir)
	if err != nil {
		t.Fatal(err)
	}
	if got := info.Mode().Perm(); got != 0o700 {
		t.Errorf("mode of the directory: got %04o, want 0700", got)
	}
	stop(t, s)
	if err := s.Err(); err != nil {
		t.Errorf("Err after Close: got %v, want nil", err)
	}
	select {
	case <-s.Done():
	default:
		t.Error("Done is not closed after Close")
	}
}

func TestSessionsSurviveARestart(t *testing.T) {
	t.Parallel()
	o := alone(t)
	s := start(t, o)
	lease := session(t, client(t, s), "hold", time.Minute)
	stop(t, s)

	c := client(t, start(t, o))
	if !exists(t, c, "hold") {
		t.Error("the key of a live session is gone after a restart")
	}
	if _, err := c.KeepAliveOnce(bounded(t), lease); err != nil {
		t.Errorf("renewing the session after a restart: %v", err)
	}
}

func TestOneServerPerDirectory(t *testing.T) {
	t.Parallel()
	o := alone(t)
	s := start(t, o)
	_, err := etcdembed.Start(t.Context(), o)
	wantIs(t, err, etcdembed.ErrInUse)

	stop(t, s)
	start(t, o)
}

func TestOthersMayNotEnterTheDirectory(t *testing.T) {
	t.Parallel()
	o := alone(t)
	if err := os.Mkdir(o.Dir, 0o755); err != nil {
		t.Fatal(err)
	}
	_, err := etcdembed.Start(t.Context(), o)
	wantField(t, err, "Dir")
	if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
		t.Errorf("a refused start has written %v", left)
	}
}

func TestSocketOfTheFileSystem(t *testing.T) {
	t.Parallel()
	dir, err := os.MkdirTemp("", "embed") // t.TempDir may be longer than the path of a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	o := etcdembed.Options{Dir: filepath.Join(dir, "data"), Listen: "unix:" + filepath.Join(dir, "s")}
	s := start(t, o)
	put(t, client(t, s), "a")

	other := alone(t)
	other.Listen = o.Listen
	_, err = etcdembed.Start(bounded(t), other)
	wantIs(t, err, syscall.EADDRINUSE)
	put(t, client(t, s), "b") // and it was not taken away
	stop(t, s)

	if !exists(t, client(t, start(t, o)), "a") {
		t.Error("the key is gone after a restart on the same socket")
	}
}

func TestStartIsCutOff(t *testing.T) {
	t.Parallel()
	o := meeting(t)
	o.Cluster = []string{o.ListenPeer, freeAddress(t), freeAddress(t)}
	_, err := etcdembed.Start(cancelledAt(t, &o, "starting a new election"), o) // alone it is no majority
	wantIs(t, err, errCutOff)

	// Nothing of it runs: the same directory and the same addresses are free.
	if err := os.RemoveAll(o.Dir); err != nil {
		t.Fatal(err)
	}
	o.Cluster = nil
	start(t, o)
}
