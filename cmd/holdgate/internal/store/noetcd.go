//go:build noetcd

package store

// etcdSchemes are none in a program that was built to start fast: merely that etcd's client
// is linked in costs each start as much again as all the rest.
func etcdSchemes() []scheme { return nil }
