package zkdriver

import (
	"maps"
	"slices"
	"sync"
)

// follower gathers the names that something changed for, until its owner comes for them.
type follower struct {
	wake chan struct{} // has a token while there is news
	gone bool          // guarded by the mutex of the watches

	mu   sync.Mutex
	news map[string]struct{}
}

func newFollower() *follower {
	return &follower{wake: make(chan struct{}, 1), news: make(map[string]struct{})}
}

func (f *follower) changed(name string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.news[name] = struct{}{}
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// take returns the news, sorted, and begins anew.
func (f *follower) take() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	names := slices.Sorted(maps.Keys(f.news))
	clear(f.news)
	return names
}
