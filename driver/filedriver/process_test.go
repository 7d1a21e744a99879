//go:build unix

package filedriver

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// patience is how long a test waits for what must come.
const patience = time.Minute

// child is a process that plays a role. It says what it does on its standard output,
// and is told to go on by its standard input.
type child struct {
	t    testing.TB
	cmd  *exec.Cmd
	in   *os.File
	said chan string // closed at its end
}

// startChild starts a process in a role on a directory.
func startChild(t testing.TB, role, dir string, args ...string) *child {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return startChildWith(t, self, nil, role, dir, args...)
}

// startChildWith is startChild for another copy of this program, or another user.
func startChildWith(t testing.TB, program string, as *syscall.SysProcAttr, role, dir string, args ...string) *child {
	t.Helper()
	cmd := exec.Command(program, append([]string{dir}, args...)...)
	cmd.SysProcAttr = as
	cmd.Env = append(os.Environ(), roleVariable+"="+role)
	cmd.Stderr = os.Stderr
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdin = inRead
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = inRead.Close()
	c := &child{t: t, cmd: cmd, in: inWrite, said: make(chan string, 1024)}
	// Ends with the output of the child, which the clean-up kills.
	go func() {
		defer close(c.said)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.said <- lines.Text()
		}
	}()
	t.Cleanup(c.kill)
	return c
}

// expect waits until the child says a word, and returns what follows it in that line.
func (c *child) expect(word string) string {
	c.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-c.said:
			if !ok {
				c.t.Fatalf("the process ended before it said %q", word)
			}
			if rest, found := strings.CutPrefix(line, word); found {
				return strings.TrimSpace(rest)
			}
		case <-timeout:
			c.t.Fatalf("the process did not say %q", word)
		}
	}
}

// tell sends a line.
func (c *child) tell(line string) {
	c.t.Helper()
	if _, err := fmt.Fprintln(c.in, line); err != nil {
		c.t.Fatal(err)
	}
}

// end waits for the end of the child, and returns what else it said.
func (c *child) end() (said []string, state *os.ProcessState) {
	c.t.Helper()
	timeout := time.After(patience)
	for {
		select {
		case line, ok := <-c.said:
			if !ok {
				_ = c.cmd.Wait()
				return said, c.cmd.ProcessState
			}
			said = append(said, line)
		case <-timeout:
			c.t.Fatal("the process did not end")
		}
	}
}

func (c *child) signal(s syscall.Signal) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(s); err != nil {
		c.t.Fatal(err)
	}
}

// kill ends the child, whatever it does.
func (c *child) kill() {
	_ = c.in.Close()
	_ = c.cmd.Process.Kill() // it may have ended
	_ = c.cmd.Wait()
}

// actor is what a role works with, in the child.
type actor struct {
	dir  string
	args []string
	told chan string // lines of the standard input
	// left is how many changes may still be made; the process ends itself before the
	// next one. Negative: any number.
	left int
	// pokes counts the processes that were woken.
	pokes int
	// slept is called once a file tells that a place sleeps.
	slept func()
	d     *Driver
	s     driver.Session
}

func newActor() *actor { return &actor{dir: os.Args[1], args: os.Args[2:], left: -1} }

// obey reads what the test tells, and ends the process when the test does not live any
// more.
func (a *actor) obey() {
	a.told = make(chan string, 16)
	go func() { // ends with the process
		for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
			a.told <- lines.Text()
		}
		os.Exit(3)
	}()
}

// step is the seam: it ends the process, as nothing else could, before a change.
func (a *actor) step(change, path string) {
	if a.slept != nil && strings.HasSuffix(path, sideWait) {
		a.slept()
	}
	if change == "poke" {
		a.pokes++
	}
	switch {
	case a.left > 0:
		a.left--
	case a.left == 0:
		a.say("dies before", change, filepath.Base(path))
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // until it arrives
	}
}

func ctx() context.Context { return context.Background() }

// kindOf names the kind of an error.
func kindOf(err error) string {
	for _, kind := range kinds() {
		if errors.Is(err, kind) {
			return kind.Error()
		}
	}
	return fmt.Sprint("no kind: ", err)
}

func (a *actor) say(words ...any) { fmt.Println(words...) }

func (a *actor) await(line string) {
	if got := <-a.told; got != line {
		a.must(fmt.Errorf("told %q, want %q", got, line))
	}
}

func (a *actor) number(arg int) int {
	n, err := strconv.Atoi(a.args[arg])
	a.must(err)
	return n
}

func (a *actor) must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "child:", err)
		os.Exit(4)
	}
}

func (a *actor) open() {
	var err error
	a.d, err = open(a.dir, nil, seams{step: a.step, fileSystem: unusableFileSystem})
	a.must(err)
	a.s, err = a.d.Open(ctx(), driver.SessionOptions{Owner: "child"})
	a.must(err)
}

func (a *actor) enter(c driver.Claim) driver.Place {
	p, err := a.s.Enter(ctx(), c)
	a.must(err)
	return p
}

// waitSoon waits where every wait is short, and fails when it was a glance that ended it: a
// wake-up that was lost is made good by that.
func (a *actor) waitSoon(p driver.Place) driver.Place {
	began := time.Now()
	p, err := a.s.Wait(ctx(), p)
	a.must(err)
	if took := time.Since(began); took >= firstGlance {
		a.must(fmt.Errorf("slept for %v", took))
	}
	return p
}

// newTestID returns an ID for a claim.
func newTestID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	return hex.EncodeToString(b[:])
}

func mutexClaim(line string) driver.Claim {
	return driver.Claim{Line: line, ID: newTestID(), Kind: driver.KindMutex, Capacity: 1, Units: 1}
}

func permitsClaim(line string, capacity, units int64) driver.Claim {
	return driver.Claim{Line: line, ID: newTestID(), Kind: driver.KindSemaphore, Capacity: capacity, Units: units}
}

func tryClaim(c driver.Claim) driver.Claim {
	c.Try = true
	return c
}
