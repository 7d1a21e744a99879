package main

import "os"

// notifyHUP does nothing: this system has no SIGHUP.
func notifyHUP(chan<- os.Signal) (stop func()) { return func() {} }
