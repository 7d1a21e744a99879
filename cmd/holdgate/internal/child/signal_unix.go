//go:build unix

package child

import (
	"os"

	"golang.org/x/sys/unix"
)

// Interrupts are the signals that end a wait.
func Interrupts() []os.Signal {
	return []os.Signal{unix.SIGINT, unix.SIGTERM, unix.SIGHUP, unix.SIGQUIT}
}

// Passed are the signals that are passed on to the command, beside Interrupts and the
// one that stops it.
func Passed() []os.Signal {
	return []os.Signal{unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH, unix.SIGCONT}
}

// StopSignal is what the keyboard stops a job with.
const StopSignal = unix.SIGTSTP

// ContinueSignal is what a shell continues it with.
const ContinueSignal = unix.SIGCONT

// BrokenPipe is caught and dropped: when nobody reads our messages any more, the
// command shall not die of it.
const BrokenPipe = unix.SIGPIPE

// Number is the number of a signal, for exit codes.
func Number(s os.Signal) int {
	n, _ := s.(unix.Signal)
	return int(n)
}
