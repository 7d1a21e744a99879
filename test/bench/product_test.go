package main

import (
	"context"
	"maps"
)

// locker takes and gives back a lock that is measured. A goroutine has one of its own.
type locker interface {
	lock(ctx context.Context) error
	unlock(ctx context.Context) error
}

// product is a way to lock that is measured, as one process has it: its connections, and
// what its goroutines share.
type product interface {
	locker(ctx context.Context) (locker, error)
	close() error
}

// seat is the place of a process among those that want one lock.
type seat struct {
	Endpoint  string
	Index, Of int
}

// open opens a product for a process.
type open func(ctx context.Context, s seat) (product, error)

// products are all of them, by name: the store, a slash, and how tables name it.
func products() map[string]open {
	all := make(map[string]open)
	maps.Copy(all, etcdProducts())
	maps.Copy(all, zkProducts())
	maps.Copy(all, redisProducts())
	return all
}
