//go:build !linux

package main

// overwrite does nothing: arguments here are copies of what others see.
func overwrite(string, int, int) {}
