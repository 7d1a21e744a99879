//go:build unix

package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// Stopped says what it means that the command was stopped by this signal. It reports
// whether we are to stop too, so that the shell that started us sees its job
// stopped: then the caller calls Suspend, and Resume after that.
func (p *Process) Stopped(by os.Signal) (suspend bool) {
	wantsTerminal := by == unix.SIGTTIN || by == unix.SIGTTOU
	if wantsTerminal && p.tty.lend(p.pid) {
		p.Signal(unix.SIGCONT)
		return false
	}
	p.wants = wantsTerminal || p.tty.given
	// Whoever else stops the command, with kill -STOP say, means only the command: we
	// keep the lock.
	return p.wants || p.asked
}

// PassStop passes on that we were asked to stop. The command decides whether it stops,
// and if it does, so do we.
func (p *Process) PassStop() {
	p.asked = true
	p.Signal(unix.SIGTSTP)
}

// Suspend gives the terminal back and stops our own group, as the keyboard would have
// if the command were in it. It reports false, and stops nothing, when nobody would ever
// continue us: the kernel does not let the keyboard stop such a group either.
//
// The signal is SIGSTOP. SIGTSTP would not do: once caught, Go gives it back its effect no
// more.
func (p *Process) Suspend() bool {
	if session, err := unix.Getsid(0); err != nil || session == p.tty.own {
		return false // the group of the session's leader: there is no shell above it
	}
	p.tty.takeBack()
	return unix.Kill(0, unix.SIGSTOP) == nil
}

// Resume continues the command, with the terminal if it is to have it and we were given
// it.
func (p *Process) Resume() {
	p.asked = false
	if p.wants {
		p.tty.lend(p.pid)
	}
	p.Signal(unix.SIGCONT)
}

// Close takes the terminal back. It is called when the group is gone.
func (p *Process) Close() { p.tty.takeBack() }
