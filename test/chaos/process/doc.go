// Package process is what a chaos run and its client processes have in common: the
// clock, what a process is told, and the resource that it writes to.
package process
