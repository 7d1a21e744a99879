package child

import (
	"os"
	"syscall"
)

// Interrupts are the signals that end a wait.
func Interrupts() []os.Signal { return []os.Signal{os.Interrupt, syscall.SIGTERM} }

// Passed are none.
func Passed() []os.Signal { return nil }

// Harmless are none.
func Harmless() []os.Signal { return nil }

// These are never sent on Windows.
const (
	StopSignal     = syscall.Signal(-1)
	ContinueSignal = syscall.Signal(-2)
)

// OutliveReaders does nothing: no write ends a process here.
func OutliveReaders() {}

// Number is the number of a signal, for exit codes.
func Number(s os.Signal) int {
	n, _ := s.(syscall.Signal)
	return int(n)
}

// Name is the name of a signal, for people.
func Name(s os.Signal) string { return s.String() }
