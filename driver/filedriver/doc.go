// Package filedriver keeps the lines of one machine in a directory. It needs no
// server.
package filedriver
