package chaos

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// life is one client process.
type life struct {
	id      string
	history string // the file with what it saw
	cmd     *exec.Cmd
	orders  io.WriteCloser
	output  bytes.Buffer
	exited  chan struct{}
	failed  error         // why it did not end well; once it has exited
	killed  time.Duration // when, if it was
}

// startLife starts a client process. It ends with the test, also if that is killed.
func startLife(tb testing.TB, binary string, c process.Config) (*life, error) {
	l := &life{id: c.ID, history: c.History, cmd: exec.Command(binary), exited: make(chan struct{})}
	l.cmd.Stdout, l.cmd.Stderr = &l.output, &l.output
	l.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	var err error
	if l.orders, err = l.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	if err = l.cmd.Start(); err != nil {
		return nil, err
	}
	// Ends with the process.
	go func() { defer close(l.exited); l.failed = l.cmd.Wait() }()
	tb.Cleanup(func() {
		_ = l.signal(syscall.SIGKILL) // mostly it has ended
		<-l.exited
	})
	return l, process.Tell(l.orders, c)
}

func (l *life) signal(s syscall.Signal) error { return l.cmd.Process.Signal(s) }

// finish tells a process that nothing goes wrong any more.
func (l *life) finish() error { return process.TellCalm(l.orders) }

// dumpIn is how long a process that is stuck has to say where.
const dumpIn = 5 * time.Second

// await waits until the process has ended. One that does not, says where it is stuck.
func (l *life) await(patience context.Context) {
	select {
	case <-l.exited:
		return
	case <-patience.Done():
	}
	_ = l.signal(syscall.SIGQUIT)
	select {
	case <-l.exited:
	case <-time.After(dumpIn):
		_ = l.signal(syscall.SIGKILL)
		<-l.exited
	}
}

// saw is what the process wrote down. What it still believed when it was killed was
// certain up to the last time that it said so.
func (l *life) saw() ([]history.Event, error) {
	file, err := os.Open(l.history)
	if errors.Is(err, os.ErrNotExist) && l.killed > 0 {
		return nil, nil // it was killed before it began
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	events, err := history.Read(file)
	if l.killed > 0 {
		events = append(events, l.deaths(events)...)
	}
	return events, err
}

// deaths ends the beliefs of a process that was killed.
func (l *life) deaths(events []history.Event) []history.Event {
	last := make(map[string]history.Event)
	for _, e := range history.Merge(events) {
		switch e.Kind {
		case history.Grant, history.Held:
			last[e.Hold] = e
		case history.Lost, history.Release:
			delete(last, e.Hold)
		}
	}
	var ends []history.Event
	for hold, e := range last {
		ends = append(ends, history.Event{
			Kind: history.Lost, At: max(l.killed, e.At), Since: e.At, Client: l.id, Hold: hold, Name: e.Name, Why: "killed",
		})
	}
	return ends
}
