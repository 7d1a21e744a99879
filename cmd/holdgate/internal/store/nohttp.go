//go:build nohttp

package store

// httpSchemes are none in a program that was built without the client of a server.
func httpSchemes() []scheme { return nil }
