//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/keeper"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// TestMain makes this test binary the command itself, when it is called by its name, and a
// program that one of the tests needs.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"holdgate": main, losingName: losing})
}

// soon bounds what is awaited: far more than it takes on a busy machine.
const soon = 30 * time.Second

// deadline is when scripts are ended that wait for what never happens: early enough that
// each says where it waited, and not go test that it took too long.
func deadline(t *testing.T) time.Time {
	at, ok := t.Deadline()
	if !ok {
		return time.Time{}
	}
	return at.Add(-time.Until(at) / 10)
}

// TestScript runs testdata/script. Each script has a home of its own that has to be empty
// at its end, and no process of it may be left.
func TestScript(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 filepath.Join("testdata", "script"),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               setUp,
		Deadline:            deadline(t),
		// The module test runs some of the scripts on other stores.
		Condition: func(name string) (bool, error) {
			if name == "files" {
				return true, nil
			}
			return false, fmt.Errorf("unknown condition %q", name)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": scriptCode,
			"line": scriptLine,
			"gone": scriptGone,
		},
	})
}

// setUp gives a script a store, and directories for what it must not touch and what it may.
func setUp(env *testscript.Env) error {
	home := filepath.Join(env.WorkDir, "home")
	if err := os.Mkdir(home, 0o700); err != nil {
		return err
	}
	env.Setenv("HOME", home)
	env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
	env.Setenv("XDG_RUNTIME_DIR", filepath.Join(env.WorkDir, "run"))
	env.Setenv("HOLDGATE_STORE", "file://"+filepath.Join(env.WorkDir, "locks"))
	env.Setenv(marker, env.WorkDir)
	env.Defer(func() {
		t := env.T().(testing.TB)
		if t.Failed() {
			return // what runs in the background is ended only after this
		}
		for _, pid := range marked(env.WorkDir) {
			if !ends(pid) {
				t.Errorf("process %d is left: %s", pid, commandLine(pid))
			}
		}
		if entries, err := os.ReadDir(home); err != nil || len(entries) > 0 {
			t.Errorf("the home directory has %v, %v", entries, err)
		}
	})
	return nil
}

// marker is a variable by which all processes of one test are found.
const marker = "HOLDGATE_TEST_PROCESS"

// marked returns the processes that have this mark, where the system tells.
func marked(mark string) []int {
	var pids []int
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, path := range environs {
		environ, err := os.ReadFile(path)
		if err != nil || !strings.Contains("\x00"+string(environ), "\x00"+marker+"="+mark+"\x00") {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil && pid != os.Getpid() {
			pids = append(pids, pid)
		}
	}
	return pids
}

func commandLine(pid int) string {
	line, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	return strings.ReplaceAll(string(line), "\x00", " ")
}

// ends reports whether the process ends soon, or has already.
func ends(pid int) bool {
	ended, err := keeper.Watch(pid)
	if err != nil {
		return true
	}
	select {
	case <-ended:
		return true
	case <-time.After(soon):
		return false
	}
}

// scriptCode is "code N program args...": the program exits with this code.
func scriptCode(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: code N program [args...]")
	}
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%s: %v", args[1], err)
		}
		got = exit.ExitCode()
	}
	if strconv.Itoa(got) != args[0] {
		ts.Fatalf("exit code %d, want %s", got, args[0])
	}
}

// scriptLine is "line NAME N": waits until so many places stand in the line.
func scriptLine(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: line NAME N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	ts.Check(stands(ts.Getenv("HOLDGATE_STORE"), args[0], want))
}

// stands returns when so many places stand in a line of the store.
func stands(store, name string, want int) error {
	u, err := url.Parse(store)
	if err != nil {
		return err
	}
	drv, err := filedriver.OpenURL(u)
	if err != nil {
		return err
	}
	defer drv.Close()
	client, err := holdgate.New(drv, nil)
	if err != nil {
		return err
	}
	ctx, stop := context.WithTimeout(context.Background(), soon)
	defer stop()
	defer client.Close(ctx)
	for s, err := range client.Watch(ctx, holdgate.Query{Name: name}) {
		if err != nil {
			return fmt.Errorf("%d in line for %q: %w", want, name, err)
		}
		if len(s.Lines) == 0 && want == 0 || len(s.Lines) > 0 && len(s.Lines[0].Places) == want {
			return nil
		}
	}
	return errors.New("the watch ended")
}

// scriptGone is "gone FILE": waits until the process whose number is in the file has ended;
// "! gone FILE" is that it lives.
func scriptGone(ts *testscript.TestScript, neg bool, args []string) {
	if len(args) != 1 {
		ts.Fatalf("usage: [!] gone FILE")
	}
	pid, err := strconv.Atoi(strings.TrimSpace(ts.ReadFile(args[0])))
	ts.Check(err)
	if neg {
		if state := processState(pid); state == "" || state == "Z" {
			ts.Fatalf("process %d has ended", pid)
		}
		return
	}
	if !ends(pid) {
		ts.Fatalf("process %d lives on", pid)
	}
}

// processState is the letter that Linux has for the state of a process, "" when there is
// none.
func processState(pid int) string {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return ""
	}
	_, after, _ := strings.Cut(string(stat), ") ")
	return after[:1]
}
