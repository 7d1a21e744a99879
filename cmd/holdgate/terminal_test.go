//go:build linux

package main

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
)

// screen is a terminal with a program on it.
type screen struct {
	t    *testing.T
	keys *os.File
	cmd  *exec.Cmd

	mu      sync.Mutex
	shown   string
	from    int // what await has not looked past
	changed chan struct{}
	done    chan struct{} // closed when nothing can be shown any more
}

// onTerminal starts a program that has the terminal as its own, in a session of its own.
func onTerminal(t *testing.T, cmd *exec.Cmd) *screen {
	t.Helper()
	cmd.Env = append(cmd.Env, "TERM=xterm", "PS1=$ ", marker+"="+t.Name())
	keys, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 200})
	if err != nil {
		t.Fatal(err)
	}
	s := &screen{t: t, keys: keys, cmd: cmd, changed: make(chan struct{}, 1), done: make(chan struct{})}
	go s.read() // ends with the last program on the terminal; awaited by the cleanup
	t.Cleanup(func() {
		_ = cmd.Process.Kill() // what it leaves gets SIGHUP: it led the session
		_ = cmd.Wait()
		for _, pid := range marked(t.Name()) {
			if !t.Failed() && !ends(pid) {
				t.Errorf("process %d is left: %s", pid, commandLine(pid))
			}
			if t.Failed() {
				_ = syscall.Kill(pid, syscall.SIGKILL) // one of ours: the mark says so
			}
		}
		select {
		case <-s.done:
		case <-time.After(soon):
			t.Error("something has the terminal open still")
		}
		_ = keys.Close()
		if t.Failed() {
			s.mu.Lock()
			defer s.mu.Unlock()
			t.Logf("the terminal showed\n%q", s.shown)
		}
	})
	return s
}

func (s *screen) read() {
	defer close(s.done)
	buf := make([]byte, 4096)
	for {
		n, err := s.keys.Read(buf)
		s.mu.Lock()
		s.shown += string(buf[:n])
		s.mu.Unlock()
		select {
		case s.changed <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

// await waits until the terminal shows what matches, after what it awaited before, and returns
// that.
func (s *screen) await(pattern string) string {
	s.t.Helper()
	match := regexp.MustCompile(pattern)
	late := time.After(soon)
	for {
		s.mu.Lock()
		at := match.FindStringIndex(s.shown[s.from:])
		rest := s.shown[s.from:]
		if at != nil {
			s.from += at[1]
			s.mu.Unlock()
			return rest[at[0]:at[1]]
		}
		s.mu.Unlock()
		select {
		case <-s.changed:
		case <-s.done:
			s.t.Fatalf("the terminal is closed, and did not show %q but %q", pattern, rest)
		case <-late:
			s.t.Fatalf("the terminal does not show %q but %q", pattern, rest)
		}
	}
}

func (s *screen) press(keys string) {
	s.t.Helper()
	if _, err := io.WriteString(s.keys, keys); err != nil {
		s.t.Fatal(err)
	}
}

// code waits for the program to end, and returns its exit code.
func (s *screen) code() int {
	s.t.Helper()
	late := time.AfterFunc(soon, func() { _ = s.cmd.Process.Kill() })
	defer late.Stop()
	var exit *exec.ExitError
	if err := s.cmd.Wait(); err != nil && !errors.As(err, &exit) {
		s.t.Fatal(err)
	}
	return s.cmd.ProcessState.ExitCode()
}

// script returns a shell that runs this text, with the command in its path.
func script(t *testing.T, text string) *exec.Cmd {
	t.Helper()
	cmd := program(t, t.TempDir())
	cmd.Path, cmd.Args = "/bin/sh", []string{"sh", "-c", text}
	return cmd
}

// jobs returns an interactive shell, which has job control.
func jobs(t *testing.T) *screen {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("there is no bash")
	}
	cmd := program(t, t.TempDir())
	cmd.Path, cmd.Args = bash, []string{"bash", "--norc", "--noprofile", "--noediting", "-i"}
	s := onTerminal(t, cmd)
	s.await(`\$ $`)
	return s
}

// groups prints the group of the command and the foreground group of its terminal.
const groups = `cut -d" " -f5,8 /proc/self/stat`

// The command's group is the terminal's while it runs, and ours is afterwards.
func TestTerminalIsLent(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, script(t, `holdgate run -q x -- `+groups+`; read line; echo got:$line; `+groups))
	inside := strings.Fields(s.await(`\d+ \d+\r\n`))
	if inside[0] != inside[1] {
		t.Errorf("the command is in group %s, the terminal has %s in the foreground", inside[0], inside[1])
	}
	s.press("hello\n")
	s.await("got:hello")
	outside := strings.Fields(s.await(`\d+ \d+\r\n`))
	if outside[0] != outside[1] || outside[0] == inside[0] {
		t.Errorf("afterwards we are in group %s, the terminal has %s in the foreground", outside[0], outside[1])
	}
}

// A command that cannot be started leaves the terminal ours.
func TestTerminalAfterFailure(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, script(t, `echo junk >f; chmod 755 f; holdgate run -q x -- ./f; echo code:$?; read line; echo got:$line`))
	s.await("code:126")
	s.press("hello\n")
	s.await("got:hello")
}

// The keyboard's interrupt reaches the command once, and its exit code counts.
func TestKeyboardInterrupt(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, script(t, `exec holdgate run -q x -- sh -c 'trap "echo int >>log; exit 5" INT; echo ready; while :; do sleep 0.05; done'`))
	s.await("ready")
	s.press("\x03")
	if code := s.code(); code != 5 {
		t.Errorf("exit code %d, want 5", code)
	}
	if log, err := os.ReadFile(filepath.Join(s.cmd.Dir, "log")); err != nil || string(log) != "int\n" {
		t.Errorf("the command noted %q, %v", log, err)
	}
}

// Stopped by the keyboard, the whole job stops, and goes on in the foreground.
func TestStopAndForeground(t *testing.T) {
	t.Parallel()
	s := jobs(t)
	s.press("holdgate run -q x -- sh -c 'echo rea''dy; exec cat'\n")
	s.await("ready")
	s.press("\x1a")
	s.await("Stopped.*\r\n\\$ ")
	s.press("fg\n")
	s.await("fg\r\nholdgate run.*\r\n")
	s.press("hello\n")
	s.await("hello\r\nhello")
	s.press("\x04")
	s.press("echo code:$?\n")
	s.await("code:0")
}

// Stopped by the keyboard, it goes on in the background, where it keeps the lock and leaves
// the terminal to the shell.
func TestStopAndBackground(t *testing.T) {
	t.Parallel()
	s := jobs(t)
	s.press("mkfifo go\n")
	s.press("holdgate run -q x -- sh -c 'echo rea''dy; read _ <go; echo dir''ect; " + groups + "'\n")
	s.await("ready")
	s.press("\x1a")
	s.await("Stopped.*\r\n\\$ ")
	s.press("bg; holdgate run -qn x -- true; echo code:$?\n")
	s.await("code:75")
	s.press("echo >go; wait\n")
	s.await("direct")
	if groups := strings.Fields(s.await(`\d+ \d+\r\n`)); groups[0] == groups[1] {
		t.Error("the terminal was taken from the shell")
	}
	s.press("echo and it is mi''ne\n")
	s.await("mine")
}

// Started in the background, it does not take the terminal; when the command wants to read from
// it, the job stops as any other.
func TestStartedInBackground(t *testing.T) {
	t.Parallel()
	s := jobs(t)
	s.press("holdgate run -q x -- sh -c 'read line; echo got:$line' &\n")
	s.await(`\[1\] \d+`)
	s.press("while ! jobs | grep Stop''ped; do sleep 0.05; done\n")
	s.await("Stopped.*\r\n\\$ ")
	s.press("fg\n")
	s.await("holdgate run")
	s.press("hello\n")
	s.await("got:hello")
}

// With something else as standard input the command gets the terminal when it asks.
func TestTerminalOnDemand(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, script(t, `echo data | holdgate run -q x -- sh -c 'cat; echo ask; read line </dev/tty; echo got:$line'; read line; echo shell:$line`))
	s.await("data\r\nask")
	s.press("hello\n")
	s.await("got:hello")
	s.press("again\n")
	s.await("shell:again")
}

// In a pipeline the others of our group keep the terminal.
func TestPipeline(t *testing.T) {
	t.Parallel()
	s := onTerminal(t, script(t, `holdgate run -q x -- echo page | sh -c 'cat; read line </dev/tty; echo got:$line'`))
	s.await("page")
	s.press("q\n")
	s.await("got:q")
}

// A wait is one line that is kept up to date, and gone when the command begins.
func TestWaitingLine(t *testing.T) {
	t.Parallel()
	cmd := script(t, `mkfifo ready go
holdgate run -q x --owner ann -- sh -c 'echo >ready; read _ <go' &
read _ <ready
exec holdgate run x -- sh -c 'echo mine'`)
	s := onTerminal(t, cmd)
	s.await(`\r\x1b\[Jholdgate: waiting for x, 1st in line: held by ann, waited \d+m?s`)
	s.await(`\r\x1b\[Jholdgate: waiting for x, 1st in line: held by ann for \ds, waited [1-9]s`)
	if err := os.WriteFile(filepath.Join(cmd.Dir, "go"), []byte("\n"), 0); err != nil {
		t.Fatal(err)
	}
	s.await(`\r\x1b\[Jmine\r\n`)
	if code := s.code(); code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The table of ls --watch is drawn in place.
func TestLiveTable(t *testing.T) {
	t.Parallel()
	cmd := program(t, t.TempDir(), "ls", "--watch")
	s := onTerminal(t, cmd)
	s.await(`\r\x1b\[Jno lock is in use`)
	other := program(t, cmd.Dir, "run", "-q", "deploy/web", "--owner", "ann", "--", "cat")
	other.Dir, other.Env = cmd.Dir, cmd.Env
	stdin, err := other.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err = other.Start(); err != nil {
		t.Fatal(err)
	}
	s.await(`\r\x1b\[JNAME [^\n]*\r\ndeploy/web +ann`)
	_ = stdin.Close()
	if err = other.Wait(); err != nil {
		t.Error(err)
	}
	s.await(`\r\x1b\[1A\x1b\[Jno lock is in use(\r\x1b|$)`)
	s.press("\x03")
	s.code()
}
