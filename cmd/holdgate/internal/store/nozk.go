//go:build nozk

package store

// zkSchemes are none in a program that was built without ZooKeeper's client.
func zkSchemes() []scheme { return nil }
