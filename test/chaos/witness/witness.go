package witness

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

const (
	// readEvery is how exactly the moments of revisions are known when all is well.
	readEvery = 10 * time.Millisecond
	// readIn bounds one read: the member that was asked may be stopped.
	readIn = 200 * time.Millisecond
)

// Witness watches a cluster.
type Witness struct {
	prefix  string
	clients []*clientv3.Client // the first reads from all members, the others watch one each
	ledger  *ledger
	clock   clock
	stop    context.CancelFunc
	tasks   sync.WaitGroup

	mu      sync.Mutex
	revoked map[string]time.Duration
}

// Start begins to watch what is under the prefix. The cluster is well at that moment.
func Start(ctx context.Context, endpoints []string, prefix string) (*Witness, error) {
	w := &Witness{prefix: prefix, revoked: make(map[string]time.Duration)}
	for i := -1; i < len(endpoints); i++ {
		some := endpoints
		if i >= 0 {
			some = endpoints[i : i+1]
		}
		client, err := clientv3.New(clientv3.Config{Endpoints: some, Logger: zap.NewNop(), DialTimeout: time.Second})
		if err != nil {
			return nil, err
		}
		w.clients = append(w.clients, client)
	}
	begin, err := w.clients[0].Get(ctx, prefix, clientv3.WithPrefix(), clientv3.WithCountOnly())
	if err != nil {
		return nil, err
	}
	if begin.Count > 0 {
		return nil, fmt.Errorf("%d keys under %q when the run begins", begin.Count, prefix)
	}
	w.ledger = newLedger(prefix, begin.Header.Revision)
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	w.tasks.Go(func() { w.read(ctx) }) // all end with ctx
	for _, member := range w.clients[1:] {
		w.tasks.Go(func() { w.watch(ctx, member) })
	}
	return w, nil
}

// read keeps the clock of revisions.
func (w *Witness) read(ctx context.Context) {
	tick := time.NewTicker(readEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		sent := process.Now()
		within, cancel := context.WithTimeout(ctx, readIn)
		answer, err := w.clients[0].Get(within, w.prefix, clientv3.WithCountOnly())
		cancel()
		if err == nil {
			w.clock.saw(sent, answer.Header.Revision)
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// watch takes in what one member tells. What was compacted before it told, another one
// had told.
func (w *Witness) watch(ctx context.Context, member *clientv3.Client) {
	for ctx.Err() == nil {
		within, cancel := context.WithCancel(ctx)
		seen, _ := w.ledger.upTo()
		for answer := range member.Watch(within, w.prefix, clientv3.WithPrefix(), clientv3.WithRev(seen+1)) {
			if answer.Err() != nil {
				break
			}
			w.ledger.told(process.Now(), answer.Events)
		}
		cancel()
	}
}

// Seen is a revision up to which everything was told: what is older may be compacted.
func (w *Witness) Seen() int64 {
	seen, _ := w.ledger.upTo()
	return seen
}

// Revoke notes that a lease is about to be revoked: its client does not know.
func (w *Witness) Revoke(lease string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.revoked[lease] = process.Now()
}

// Silences are the times in which the store did not answer.
func (w *Witness) Silences() []Silence {
	w.clock.mu.Lock()
	defer w.clock.mu.Unlock()
	return slices.Clone(w.clock.silences)
}

// Stop waits until all was told that has happened, and returns it. TTL is that of the
// sessions.
func (w *Witness) Stop(ctx context.Context, ttl time.Duration) ([]history.Event, error) {
	defer func() {
		w.stop()
		w.tasks.Wait()
		for _, client := range w.clients {
			_ = client.Close()
		}
	}()
	last, err := w.clients[0].Put(ctx, w.prefix+"/%last", "")
	if err != nil {
		return nil, err
	}
	for {
		seen, news := w.ledger.upTo()
		if seen >= last.Header.Revision {
			break
		}
		select {
		case <-news:
		case <-ctx.Done():
			return nil, fmt.Errorf("the watches are at revision %d of %d: %w", seen, last.Header.Revision, context.Cause(ctx))
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.ledger.events(&w.clock, ttl, w.revoked), nil
}
