package child

import "os"

// Event is something that happened to the command.
type Event struct {
	Type EventType
	// Signal is what stopped the command.
	Signal os.Signal
	// Code is what the command ended with, as shells tell it: its exit status or, when
	// a signal ended it, 128 plus the signal's number.
	Code int
}

// EventType says what happened.
type EventType int

const (
	// Exited: the command has ended. What it started may still run.
	Exited EventType = iota + 1
	// Stopped: the command was stopped, and may be continued.
	Stopped
	// Reaped: something that the command left behind has ended.
	Reaped
)
