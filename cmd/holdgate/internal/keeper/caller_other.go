//go:build !linux

package keeper

import "os"

// Caller returns the parent of this process: here the system does not tell whether that is only a
// part of a shell.
func Caller() int { return os.Getppid() }

// Name is what the system calls a process: it is not asked here.
func Name(int) string { return "" }
