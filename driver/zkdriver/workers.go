package zkdriver

import (
	"context"
	"sync/atomic"
)

// workers carry out operations, in goroutines that are kept for a while: a new one begins with
// a small stack, which it has to move several times in each operation.
type workers struct {
	jobs chan func() // to one that is idle
	idle atomic.Int32
}

// keptIdle is how many wait for work. More than that end with what they did.
const keptIdle = 8

func newWorkers() *workers { return &workers{jobs: make(chan func())} }

// take gives an operation to a worker that is idle, if there is one.
func (w *workers) take(f func()) bool {
	select {
	case w.jobs <- f:
		return true
	default:
		return false
	}
}

// work carries out an operation, and then others until ctx ends.
func (w *workers) work(ctx context.Context, f func()) {
	for {
		f()
		f = nil // what it holds may be large
		if w.idle.Add(1) > keptIdle {
			w.idle.Add(-1)
			return
		}
		select {
		case f = <-w.jobs:
		case <-ctx.Done():
		}
		w.idle.Add(-1)
		if f == nil {
			return
		}
	}
}
