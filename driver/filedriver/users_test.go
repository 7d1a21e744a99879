//go:build unix

package filedriver

import (
	"io"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/holdgate/holdgate/driver"
)

// TestUsers has processes of two users, with the strictest umask, share a directory by
// its group: they wake each other, and clean up after each other.
func TestUsers(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of other users")
	}
	t.Parallel()
	const group, alice, bob = 54321, 54001, 54002
	dir, program := sharedDir(t, group), publicProgram(t)
	as := func(user uint32, role string) *child {
		return startChildWith(t, program, &syscall.SysProcAttr{
			Credential: &syscall.Credential{Uid: user, Gid: user, Groups: []uint32{group}},
		}, role, dir)
	}
	a := as(alice, "wait")
	a.expect("granted")
	b := as(bob, "wait")
	b.expect("entered")
	n := &neighbour{TB: t, dir: dir, d: openDriver(t, dir), waits: map[string]chan outcome{}}
	n.awaitSleepers("orders", 1)
	a.tell("go")
	b.expect("granted") // woken through bob's pipe, by alice
	a.expect("left")
	a.kill()
	a2 := as(alice, "wait")
	a2.expect("entered")
	n.awaitSleepers("orders", 1)
	b.kill()
	a2.expect("granted") // bob's place was removed by alice
	a2.kill()
	n.s = n.session()
	n.newcomer("orders")
	n.nothingLeft()
}

// TestRootInUsersDirectory: what root makes in a user's own directory is the user's.
func TestRootInUsersDirectory(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can work in another user's directory")
	}
	t.Parallel()
	const alice = 54001
	dir, program := publicDir(t), publicProgram(t)
	if err := os.Chown(dir, alice, alice); err != nil {
		t.Fatal(err)
	}
	chmod(t, dir, 0o700)
	n := &neighbour{TB: t, dir: dir, d: openDriver(t, dir), waits: map[string]chan outcome{}}
	n.s = n.session()
	c := mutexClaim("orders")
	c.Data = []byte("1")
	p, err := n.s.Enter(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	a := startChildWith(t, program, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: alice, Gid: alice}}, "wait", dir)
	a.expect("entered")
	n.awaitSleepers("orders", 1)
	n.leave(p)
	a.expect("granted")
	a.tell("go")
	a.expect("left")
	a.kill()
	n.newcomer("orders")
	n.nothingLeft()
}

// TestDenied: who may not write gets one clear error, and no lock.
func TestDenied(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root can start processes of other users")
	}
	t.Parallel()
	dir, program := publicDir(t), publicProgram(t)
	chmod(t, dir, 0o755)
	n := &neighbour{TB: t, dir: dir, d: openDriver(t, dir)}
	n.s = n.session()
	if _, err := n.s.Enter(t.Context(), mutexClaim("orders")); err != nil {
		t.Fatal(err)
	}
	a := startChildWith(t, program, &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 54001, Gid: 54001}}, "look", dir)
	if got, want := a.expect("looked:"), "1 place, then permission denied"; got != want {
		t.Errorf("a user who may only read: %q, want %q", got, want)
	}
}

// playLook is a process that may read and not write.
func playLook(a *actor) {
	var err error
	a.d, err = Open(a.dir, nil)
	a.must(err)
	l, err := a.d.Line(ctx(), "orders")
	a.must(err)
	_, err = a.d.Open(ctx(), driver.SessionOptions{Owner: "child"})
	a.say("looked:", len(l.Places), "place, then", kindOf(err))
}

func sharedDir(t *testing.T, group int) string {
	t.Helper()
	dir := publicDir(t)
	if err := os.Chown(dir, 0, group); err != nil {
		t.Fatal(err)
	}
	chmod(t, dir, Shared)
	return dir
}

// publicDir is a directory whose path everybody may use.
func publicDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	chmod(t, filepath.Dir(dir), 0o755)
	return dir
}

// publicProgram is this program, where everybody may start it.
func publicProgram(t *testing.T) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = from.Close() }()
	path := filepath.Join(publicDir(t), "program")
	to, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := to.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}
