//go:build unix && race

package filedriver

// The race detector makes a process start ten times as slowly.
const manyWaiters = 30
