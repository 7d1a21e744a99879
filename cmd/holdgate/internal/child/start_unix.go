//go:build unix

package child

import (
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"golang.org/x/sys/unix"
)

// Process is a command that was started, and its group.
type Process struct {
	pid    int // and the number of its group
	tty    *terminal
	events chan Event

	asked bool // the command was asked to stop because we were
	wants bool // it is to have the terminal when it goes on
}

// Start starts the command.
//
// One command may be started: all children of this process are taken for its own.
func Start(s Spec) (*Process, error) {
	if err := inheritable(s.Keep); err != nil {
		return nil, err
	}
	p := &Process{tty: openTerminal(), events: make(chan Event, 16)}
	started := make(chan error)
	// One thread starts the command and waits for it: where the kernel kills the command
	// when its parent ends, "parent" is the thread that started it.
	go func() { // ends when no child is left, or with this process
		runtime.LockOSThread()
		err := p.start(s)
		started <- err
		if err == nil {
			p.wait()
		}
	}()
	if err := <-started; err != nil {
		return nil, err
	}
	return p, nil
}

// start gives the command its place in the terminal. It runs on the thread that stays.
func (p *Process) start(s Spec) (err error) {
	adoptOrphans()
	sys := endWithParent()
	sys.Setpgid = true
	if p.tty.ours() && !inPipeline() {
		// The group is the terminal's before the program begins, so that it never finds
		// itself in the background.
		sys.Foreground, sys.Ctty = true, p.tty.fd
		p.tty.given = true
	}
	p.pid, err = syscall.ForkExec(s.Path, s.Args, &syscall.ProcAttr{
		Env:   s.Env,
		Files: []uintptr{0, 1, 2},
		Sys:   sys,
	})
	// From now on we may be in the background, and still have to speak, and to take the
	// terminal back. The command does not inherit this: it was set too late for that.
	signal.Ignore(unix.SIGTTOU)
	if err != nil {
		p.tty.takeBack()
		return startError(s.Args[0], err)
	}
	return nil
}

// inheritable lets the next program have the files.
func inheritable(files []*os.File) error {
	for _, f := range files {
		raw, err := f.SyscallConn()
		if err != nil {
			return fmt.Errorf("pass %s on: %w", f.Name(), err)
		}
		var inner error
		err = raw.Control(func(fd uintptr) { _, inner = unix.FcntlInt(fd, unix.F_SETFD, 0) })
		if err == nil {
			err = inner
		}
		if err != nil {
			return fmt.Errorf("pass %s on: %w", f.Name(), err)
		}
	}
	return nil
}

// Events tells what happens to the command, in order. It is to be read until the
// command and its group are gone.
func (p *Process) Events() <-chan Event { return p.events }

// wait collects what ended, for as long as there are children: the command and, where
// orphans come to us, all that it leaves behind.
func (p *Process) wait() {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, syscall.WUNTRACED, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return // no child is left
		case pid != p.pid:
			p.reaped(status)
		case status.Stopped():
			p.events <- Event{Type: Stopped, Signal: status.StopSignal()}
		case status.Exited():
			p.events <- Event{Type: Exited, Code: status.ExitStatus()}
		case status.Signaled():
			p.events <- Event{Type: Exited, Code: 128 + int(status.Signal())}
		}
	}
}

// reaped tells that an orphan has ended. It is a hint: who needs it looks for itself
// now and then.
func (p *Process) reaped(status syscall.WaitStatus) {
	if status.Stopped() {
		return
	}
	select {
	case p.events <- Event{Type: Reaped}:
	default:
	}
}
