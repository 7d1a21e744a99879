// Package memdriver keeps locks in memory. It is the reference for every other
// driver, and what programs test with.
package memdriver
