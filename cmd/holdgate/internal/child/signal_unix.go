//go:build unix

package child

import (
	"os"
	"os/signal"

	"golang.org/x/sys/unix"
)

// Interrupts are the signals that end a wait.
func Interrupts() []os.Signal {
	return []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT}
}

// Passed are the signals that are passed on to the command, beside Interrupts, and would end
// or stop us if they were not caught.
func Passed() []os.Signal { return []os.Signal{unix.SIGUSR1, unix.SIGUSR2, StopSignal} }

// Harmless are those that are passed on too, and mean nothing to us.
func Harmless() []os.Signal { return []os.Signal{unix.SIGWINCH, ContinueSignal} }

// StopSignal is what the keyboard stops a job with.
const StopSignal = unix.SIGTSTP

// ContinueSignal is what a shell continues it with.
const ContinueSignal = unix.SIGCONT

// OutliveReaders makes writing to a pipe that nobody reads any more an error, and not this
// process's end: it has a lock to give back. The command is not affected.
func OutliveReaders() { signal.Notify(make(chan os.Signal, 1), unix.SIGPIPE) }

// Number is the number of a signal, for exit codes.
func Number(s os.Signal) int {
	n, _ := s.(unix.Signal)
	return int(n)
}

// Name is the name of a signal, for people.
func Name(s os.Signal) string {
	if number, ok := s.(unix.Signal); ok {
		return unix.SignalName(number)
	}
	return s.String()
}
