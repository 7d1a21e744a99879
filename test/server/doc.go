// Package server runs the servers of tests: real processes, on addresses that nobody else
// takes meanwhile, which are killed, stopped and started again at will, and which end with
// their test, also when that is killed.
package server
