//go:build unix

package main

import (
	"os"
	"os/signal"
	"syscall"
)

// notifyHUP passes SIGHUP on, until stop is called.
func notifyHUP(to chan<- os.Signal) (stop func()) {
	signal.Notify(to, syscall.SIGHUP)
	return func() { signal.Stop(to) }
}
