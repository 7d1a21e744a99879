package zklog

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/witness"
)

// Server is one whose log is read.
type Server struct {
	Address string
	Logs    string // the directory of its transaction logs
}

// Witness watches an ensemble.
type Witness struct {
	witness.Record

	prefix  string
	servers []Server
	pens    []*pen
	stop    context.CancelFunc
	tasks   sync.WaitGroup
}

// pen makes marks by way of one server: writes to a node of its own. What is written when
// that server is away tells nothing.
type pen struct {
	node string
	conn *zk.Conn
}

// sessionTTL is that of the witness: how soon it sees that a server is away.
const sessionTTL = 2 * time.Second

// Start begins to watch what is under the prefix. The ensemble is well at that moment.
func Start(ctx context.Context, servers []Server, prefix string) (*Witness, error) {
	w := &Witness{prefix: prefix, servers: servers}
	for i, s := range servers {
		conn, _, err := zk.Connect([]string{s.Address}, sessionTTL, zk.WithLogger(quiet{}))
		if err != nil {
			return nil, err
		}
		p := &pen{node: fmt.Sprint("/witness-", i), conn: conn}
		w.pens = append(w.pens, p)
		if _, err := conn.Create(p.node, nil, zk.FlagPersistent, zk.WorldACL(zk.PermAll)); err != nil {
			return nil, fmt.Errorf("the witness's node %s: %w", p.node, err)
		}
	}
	ctx, w.stop = context.WithCancel(context.WithoutCancel(ctx))
	for _, p := range w.pens {
		// Ends with ctx, and the connection.
		w.tasks.Go(func() { w.Keep(ctx, func(ctx context.Context) error { return w.Mark(ctx, p.write) }) })
	}
	return w, nil
}

// write is a mark.
func (p *pen) write(context.Context) (zxid int64, err error) {
	stat, err := p.conn.Set(p.node, nil, -1)
	if err != nil {
		return 0, err
	}
	return stat.Mzxid, nil
}

// Stop makes a last mark, and returns all that has happened. TTL is that of the sessions.
func (w *Witness) Stop(ctx context.Context, ttl time.Duration) ([]history.Event, error) {
	err := w.Mark(ctx, w.pens[0].write)
	w.stop()
	for _, p := range w.pens {
		p.conn.Close()
	}
	w.tasks.Wait()
	if err != nil {
		return nil, fmt.Errorf("the witness's last mark: %w", err)
	}
	var dirs []string
	for _, s := range w.servers {
		dirs = append(dirs, s.Logs)
	}
	committed, err := readAll(dirs)
	if err != nil {
		return nil, err
	}
	return w.Events(changes(w.prefix, committed), ttl), nil
}

// quiet drops what a client has to say.
type quiet struct{}

func (quiet) Printf(string, ...any) {}
