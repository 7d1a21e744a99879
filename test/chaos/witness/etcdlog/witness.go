package etcdlog

import (
	"context"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness"
)

// readIn bounds one read: the member that was asked may be stopped.
const readIn = 200 * time.Millisecond

// Witness watches a cluster.
type Witness struct {
	witness.Record

	prefix  string
	clients []*clientv3.Client // the first reads from all members, the others watch one each
	ledger  *ledger
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// Start begins to watch what is under the prefix. The cluster is well at that moment.
func Start(ctx context.Context, endpoints []string, prefix string) (*Witness, error) {
	w := &Witness{prefix: prefix}
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
	w.tasks.Go(func() { w.Keep(ctx, w.mark) }) // all end with ctx
	for _, member := range w.clients[1:] {
		w.tasks.Go(func() { w.watch(ctx, member) })
	}
	return w, nil
}

// mark makes one of a read.
func (w *Witness) mark(ctx context.Context) error { return w.Mark(ctx, w.read) }

// read tells a revision: such a read sees all that was committed before it was sent.
func (w *Witness) read(ctx context.Context) (revision int64, err error) {
	ctx, cancel := context.WithTimeout(ctx, readIn)
	defer cancel()
	answer, err := w.clients[0].Get(ctx, w.prefix, clientv3.WithCountOnly())
	if err != nil {
		return 0, err
	}
	return answer.Header.Revision, nil
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
	return w.Events(w.ledger.all(), ttl), nil
}
