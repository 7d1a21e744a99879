package command_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// scripts are those of the command that say nothing about where the locks are: what holds on
// files holds on etcd.
func scripts() []string {
	var files []string
	for _, name := range []string{"busy", "config", "elect", "env", "exit", "group", "interrupt", "kinds", "lost", "names", "once", "view"} {
		files = append(files, filepath.Join("..", "..", "cmd", "holdgate", "testdata", "script", name+".txtar"))
	}
	return files
}

// deadline is when scripts are ended that wait for what never happens: early enough that
// each says where it waited, and not go test that it took too long.
func deadline(t *testing.T) time.Time {
	at, ok := t.Deadline()
	if !ok {
		return time.Time{}
	}
	return at.Add(-time.Until(at) / 10)
}

// TestScripts is S66 to S73 on etcd, and more.
func TestScripts(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	testscript.Run(t, testscript.Params{
		Files:               scripts(),
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Deadline:            deadline(t),
		Condition: func(name string) (bool, error) {
			if name == "files" {
				return false, nil
			}
			return false, errors.New("unknown condition " + name)
		},
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("XDG_STATE_HOME", filepath.Join(env.WorkDir, "state"))
			env.Setenv("XDG_RUNTIME_DIR", filepath.Join(env.WorkDir, "run"))
			env.Setenv("PATH", filepath.Dir(program)+string(os.PathListSeparator)+env.Getenv("PATH"))
			// Each script has a part of the store to itself.
			env.Setenv("HOLDGATE_STORE", url(c)+"/"+filepath.Base(env.WorkDir))
			return os.Mkdir(home, 0o700)
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"code": scriptCode,
			"line": scriptLine,
			"gone": scriptGone,
		},
	})
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
	endpoints, prefix, _ := strings.Cut(strings.TrimPrefix(ts.Getenv("HOLDGATE_STORE"), "etcd://"), "/")
	ts.Check(stands(strings.Split(endpoints, ","), "/"+prefix, args[0], want))
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
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) {
			ts.Fatalf("process %d has ended", pid)
		}
		return
	}
	ts.Check(ends(pid))
}
