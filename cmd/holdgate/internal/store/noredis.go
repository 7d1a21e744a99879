//go:build noredis

package store

// redisSchemes are none in a program that was built without Redis's client.
func redisSchemes() []scheme { return nil }
