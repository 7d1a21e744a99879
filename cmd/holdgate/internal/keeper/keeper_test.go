//go:build unix

package keeper_test

import (
	"context"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/keeper"
)

func TestWatch(t *testing.T) {
	t.Parallel()
	cmd := exec.Command("cat")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended, err := keeper.Watch(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	select {
	case <-ended:
		t.Error("it is said to have ended, and has not")
	default:
	}
	_ = stdin.Close()
	if err = cmd.Wait(); err != nil {
		t.Error(err)
	}
	select {
	case <-ended:
	case <-time.After(30 * time.Second):
		t.Error("it is not said to have ended")
	}
	if _, err = keeper.Watch(cmd.Process.Pid); err == nil {
		t.Error("a process that is not there is watched")
	}
}

// listen returns a socket in a directory of its own.
func listen(t *testing.T) *keeper.Socket {
	t.Helper()
	dir, err := os.MkdirTemp("", "hg") // t.TempDir is too long a name for a socket on some systems
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	t.Setenv("XDG_RUNTIME_DIR", dir)
	t.Setenv("XDG_STATE_HOME", filepath.Join(dir, "state"))
	s, err := keeper.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestRelease(t *testing.T) {
	s := listen(t)
	if got := keeper.Handles(""); len(got) != 1 || got[0] != s.Handle {
		t.Errorf("handles are %q, want %q", got, s.Handle)
	}
	want := keeper.Outcome{Code: 79, Message: "lost"}
	go func() {
		r := <-s.Requests()
		_ = s.Close()
		r.Answer(want)
	}()
	if got, err := keeper.Release(t.Context(), s.Handle); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := keeper.Release(t.Context(), s.Handle); !errors.Is(err, keeper.ErrUnknown) {
		t.Errorf("a second time: %v, want %v", err, keeper.ErrUnknown)
	}
}

// A keeper that is busy does not keep its caller for ever.
func TestReleaseGivesUp(t *testing.T) {
	s := listen(t)
	defer s.Close()
	requests := s.Requests()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-requests
		cancel()
	}()
	if _, err := keeper.Release(ctx, s.Handle); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
}

// Somebody who says nothing keeps nobody from the lock.
func TestReleaseBesideASilentCaller(t *testing.T) {
	s := listen(t)
	defer s.Close()
	requests := s.Requests()
	silent, err := net.Dial("unix", s.Handle)
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	want := keeper.Outcome{Code: 79, Message: "lost"}
	go func() { (<-requests).Answer(want) }()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	if got, err := keeper.Release(ctx, s.Handle); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
}

// A keeper that ends by itself leaves word of why, which is told once.
func TestLastWord(t *testing.T) {
	s := listen(t)
	want := keeper.Outcome{Code: 79, Message: "lost: it was for a process that has ended"}
	if err := s.LeaveWord(want); err != nil {
		t.Fatal(err)
	}
	_ = s.Close()
	if got := keeper.Handles(""); len(got) != 0 {
		t.Errorf("word is taken for the handles %q", got)
	}
	if got, err := keeper.Release(t.Context(), s.Handle); err != nil || got != want {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if _, err := keeper.Release(t.Context(), s.Handle); !errors.Is(err, keeper.ErrUnknown) {
		t.Errorf("a second time: %v, want %v", err, keeper.ErrUnknown)
	}
}

// Word that nobody asks for does not stay for ever.
func TestWordIsSweptUp(t *testing.T) {
	old := listen(t)
	if err := old.LeaveWord(keeper.Outcome{Code: 79}); err != nil {
		t.Fatal(err)
	}
	_ = old.Close()
	for _, tc := range []struct {
		age    time.Duration
		stands bool
	}{{time.Hour, true}, {30 * 24 * time.Hour, false}} {
		at := time.Now().Add(-tc.age)
		if err := os.Chtimes(old.Handle+".word", at, at); err != nil {
			t.Fatal(err)
		}
		s, err := keeper.Listen(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		_ = s.Close()
		if _, err = os.Stat(old.Handle + ".word"); (err == nil) != tc.stands {
			t.Errorf("when it is %v old: %v", tc.age, err)
		}
	}
}

func TestBadHandles(t *testing.T) {
	t.Parallel()
	if _, err := keeper.Release(t.Context(), ""); !errors.Is(err, keeper.ErrNoHandle) {
		t.Errorf("got %v, want %v", err, keeper.ErrNoHandle)
	}
	for _, handle := range []string{"x", "0123456789abcdef", "/tmp/x", "/tmp/0123456789abcdeg", "/tmp/0123456789abcdef00"} {
		if _, err := keeper.Release(t.Context(), handle); !errors.Is(err, keeper.ErrHandle) {
			t.Errorf("%q: %v, want %v", handle, err, keeper.ErrHandle)
		}
	}
	if _, err := keeper.Release(t.Context(), "/nowhere/0123456789abcdef"); !errors.Is(err, keeper.ErrUnknown) {
		t.Errorf("got %v, want %v", err, keeper.ErrUnknown)
	}
}
