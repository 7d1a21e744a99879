package redislog

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness"
)

// Witness watches a server that appends all it does to a file.
type Witness struct {
	witness.Record

	root   string
	dir    string
	client *redis.Client
	stop   context.CancelFunc
	tasks  sync.WaitGroup
	marks  []mark
	number int // of the last mark
}

// mark is a write of the witness's, which the file has, too.
type mark struct {
	sent, answered time.Duration
	number         int
}

// markKey is the key that it writes to.
const markKey = "witness"

// writeIn bounds one write: the server may be stopped.
const writeIn = 200 * time.Millisecond

// Start begins to watch what is under the root, of a server that keeps its append-only file
// in a directory.
func Start(ctx context.Context, address, dir, root string) *Witness {
	w := &Witness{root: root, dir: dir, client: redis.NewClient(&redis.Options{
		Addr: address, MaxRetries: -1, ContextTimeoutEnabled: true,
	})}
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.tasks.Go(func() { w.Keep(ctx, w.mark) }) // ends with ctx
	return w
}

// mark makes one. Its position is known when the file is read.
func (w *Witness) mark(ctx context.Context) error {
	w.number++
	return w.write(ctx, w.number)
}

// write makes one mark. One of which no answer came tells nothing.
func (w *Witness) write(ctx context.Context, number int) error {
	ctx, cancel := context.WithTimeout(ctx, writeIn)
	defer cancel()
	sent := process.Now()
	err := w.client.Set(ctx, markKey, number, 0).Err()
	if err == nil {
		w.marks = append(w.marks, mark{sent, process.Now(), number})
	}
	return err
}

// last is the number of the last mark, larger than all others.
const last = 1 << 40

// Stop makes a last mark, and returns all that has happened. TTL is that of the sessions.
func (w *Witness) Stop(ctx context.Context, ttl time.Duration) ([]history.Event, error) {
	w.stop()
	w.tasks.Wait()
	err := w.write(ctx, last)
	if err = errors.Join(err, w.client.Close()); err != nil {
		return nil, fmt.Errorf("the witness's last mark: %w", err)
	}
	transactions, err := readFile(w.dir)
	if err != nil {
		return nil, err
	}
	positions := markPositions(transactions)
	for _, m := range w.marks {
		position, ok := positions[m.number]
		if !ok {
			return nil, fmt.Errorf("the witness's mark %d is not in the file", m.number)
		}
		w.Saw(m.sent, m.answered, position)
	}
	return w.Events(changes(w.root, transactions), ttl), nil
}

// markPositions finds the marks in the file.
func markPositions(transactions [][]command) map[int]int64 {
	positions := make(map[int]int64)
	for i, t := range transactions {
		for _, c := range t {
			if !c.is("set") || c[1] != markKey {
				continue
			}
			if number, err := strconv.Atoi(c[2]); err == nil {
				positions[number] = int64(i) + 1
			}
		}
	}
	return positions
}
