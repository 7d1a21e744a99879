package command_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// program is the command, built once for all tests, before any begins.
var program string

func TestMain(m *testing.M) { os.Exit(buildAndRun(m)) }

func buildAndRun(m *testing.M) int {
	dir, err := os.MkdirTemp("", "holdgate-command")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = filepath.Join(dir, "holdgate")
	if out, err := exec.Command("go", "build", "-o", program, "github.com/holdgate/holdgate/cmd/holdgate").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build holdgate: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = 60 * time.Second

// place is where commands run: a directory, and an environment in which they find a store.
type place struct {
	t       *testing.T
	program string
	dir     string
	env     []string
}

// at returns a place whose commands use this store.
func at(t *testing.T, store string, env ...string) *place {
	t.Helper()
	dir := t.TempDir()
	return &place{t: t, program: program, dir: dir, env: slices.Concat(os.Environ(), []string{
		"HOME=" + dir, "XDG_STATE_HOME=" + filepath.Join(dir, "state"), "XDG_RUNTIME_DIR=" + filepath.Join(dir, "run"),
		"HOLDGATE_STORE=" + store, "USER=tester",
	}, env)}
}

// url names a cluster as a store.
func url(c *etcdserver.Cluster) string { return "etcd://" + strings.Join(c.Endpoints(), ",") }

// running is a command that was started.
type running struct {
	t      *testing.T
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	exited chan struct{}
	// These may be read once exited is closed.
	stdout output
	stderr bytes.Buffer
	ended  time.Time
}

// start starts the command. It is killed when it has not ended soon, and with the test.
func (p *place) start(args ...string) *running {
	p.t.Helper()
	r := &running{t: p.t, cmd: exec.Command(p.program, args...), exited: make(chan struct{})}
	r.stdout.lines = make(chan string, 1024)
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdout, r.cmd.Stderr = p.dir, p.env, &r.stdout, &r.stderr
	r.cmd.WaitDelay = 5 * time.Second // something that it left may have its output open
	var err error
	if r.stdin, err = r.cmd.StdinPipe(); err != nil {
		p.t.Fatal(err)
	}
	if err := r.cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	go func() { // ends with the command; awaited by end
		_ = r.cmd.Wait()
		r.ended = time.Now()
		close(r.exited)
	}()
	p.t.Cleanup(func() {
		_ = r.cmd.Process.Kill()
		r.end()
	})
	return r
}

// output is what a command prints, as a whole and line by line.
type output struct {
	all   bytes.Buffer
	told  int // how much of it was sent to lines
	lines chan string
}

func (o *output) String() string { return o.all.String() }

func (o *output) Write(b []byte) (int, error) {
	n, err := o.all.Write(b)
	for {
		line, _, ok := strings.Cut(o.String()[o.told:], "\n")
		if !ok {
			return n, err
		}
		o.told += len(line) + 1
		o.lines <- line
	}
}

// line returns the next line that it prints.
func (r *running) line() string {
	r.t.Helper()
	select {
	case line := <-r.stdout.lines:
		return line
	case <-r.exited:
		if len(r.stdout.lines) > 0 {
			return <-r.stdout.lines
		}
		r.t.Fatalf("%q has ended: %v: %s", r.cmd.Args[1:], r.cmd.ProcessState, &r.stderr)
	case <-time.After(soon):
		r.t.Fatalf("%q prints nothing", r.cmd.Args[1:])
	}
	return ""
}

// echoes sends a line to its standard input, which the command under the lock prints.
func (r *running) echoes(text string) {
	r.t.Helper()
	if _, err := io.WriteString(r.stdin, text+"\n"); err != nil {
		r.t.Fatalf("%q does not read: %v", r.cmd.Args[1:], err)
	}
	if got := r.line(); got != text {
		r.t.Fatalf("%q prints %q, want %q", r.cmd.Args[1:], got, text)
	}
}

// end waits for it to end.
func (r *running) end() {
	select {
	case <-r.exited:
	case <-time.After(soon):
		_ = r.cmd.Process.Kill()
		<-r.exited
		r.t.Errorf("%q did not end", r.cmd.Args[1:])
	}
}

// code waits for it to end, and returns its exit code.
func (r *running) code() int {
	r.t.Helper()
	r.end()
	return r.cmd.ProcessState.ExitCode()
}

// wantCode waits for it to end with this code.
func (r *running) wantCode(want int) {
	r.t.Helper()
	if got := r.code(); got != want {
		r.t.Fatalf("%q: exit code %d, want %d; it says\n%s%s", r.cmd.Args[1:], got, want, &r.stdout, &r.stderr)
	}
}

// run runs the command, and returns what it printed.
func (p *place) run(want int, args ...string) (stdout, stderr string) {
	p.t.Helper()
	r := p.start(args...)
	_ = r.stdin.Close()
	r.wantCode(want)
	return r.stdout.String(), r.stderr.String()
}

// awaitEnd returns when a process has ended.
func awaitEnd(t *testing.T, pid int) {
	t.Helper()
	if err := ends(pid); err != nil {
		t.Fatal(err)
	}
}

// ends returns when a process has ended, or with an error when it does not soon.
func ends(pid int) error {
	fd, err := unix.PidfdOpen(pid, 0)
	if errors.Is(err, unix.ESRCH) {
		return nil
	}
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	for {
		n, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, int(soon.Milliseconds()))
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return err
		case n == 0:
			return fmt.Errorf("process %d lives on", pid)
		default:
			return nil
		}
	}
}

// gone reports whether a process has ended.
func gone(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

// held starts a command under a lock that prints its number, then what it reads, and ends when
// its input does.
func (p *place) held(args ...string) (r *running, pid int) {
	p.t.Helper()
	r = p.start(slices.Concat([]string{"run"}, args, []string{"--", "sh", "-c", "echo $$; exec cat"})...)
	pid, err := strconv.Atoi(r.line())
	if err != nil {
		p.t.Fatal(err)
	}
	return r, pid
}
