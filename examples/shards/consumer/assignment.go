package consumer

import (
	"context"
	"slices"
	"sync"
)

// assignment is the shards that this member works on, each in a goroutine of its own.
type assignment struct {
	consume func(ctx context.Context, shard int)
	stop    map[int]context.CancelFunc
	running sync.WaitGroup
}

func newAssignment(consume func(context.Context, int)) *assignment {
	return &assignment{consume: consume, stop: make(map[int]context.CancelFunc)}
}

// set gives up the shards that are not among these, and takes up those that are new. It waits for
// neither: who is to give a shard up finishes its event, and who is to take it up waits for the
// lock.
func (a *assignment) set(ctx context.Context, shards []int) {
	a.keep(shards)
	for _, shard := range shards {
		if a.stop[shard] != nil {
			continue
		}
		ctx, stop := context.WithCancel(ctx)
		a.stop[shard] = stop
		a.running.Go(func() { a.consume(ctx, shard) }) // ends with keep or end
	}
}

// keep gives up the shards that are not among these.
func (a *assignment) keep(shards []int) {
	for shard, stop := range a.stop {
		if !slices.Contains(shards, shard) {
			stop()
			delete(a.stop, shard)
		}
	}
}

// end gives up all shards, and waits until that is done.
func (a *assignment) end() {
	a.keep(nil)
	a.running.Wait()
}
