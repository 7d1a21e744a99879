package zkdriver

import (
	"context"
	"crypto/tls"
	"fmt"
	"math"
	"net"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Driver is a handle on ZooKeeper. Its methods are safe for concurrent use.
type Driver struct {
	servers []string
	opts    Options
	layout  layout

	// ctx ends with the handle.
	ctx  context.Context //nolint:containedctx // the handle's own lifetime
	stop context.CancelCauseFunc

	reader  reader // what belongs to no session goes over its connection
	workers *workers

	mu    sync.Mutex
	shut  bool
	tasks sync.WaitGroup // all goroutines; begun only under mu, while not shut
}

var (
	_ driver.Driver = (*Driver)(nil)
	_ driver.KV     = (*Driver)(nil)
)

// New returns a driver over an ensemble: host:port of its servers, or of some of them. It
// does not connect before it is used. Nil options are the defaults.
func New(servers []string, o *Options) (*Driver, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	list, err := addresses(servers)
	if err != nil {
		return nil, err
	}
	d := &Driver{servers: list, opts: opts, workers: newWorkers(), layout: newLayout(opts)}
	d.ctx, d.stop = context.WithCancelCause(context.Background())
	d.reader.d = d
	return d, nil
}

// maxTTL is the longest that the protocol can ask for. Servers grant at most 20 of their
// ticks, unless they are configured otherwise.
const maxTTL = math.MaxInt32 * time.Millisecond

// Features says what ZooKeeper promises.
//
// A session expires up to a tick after its time. A renewal that was answered is a write
// that a quorum has, but the leader, which keeps the sessions' clocks, hears of the
// session only by the next report of the server that answered, twice a tick: so it may
// count from the one before for a while. Half a tick more is left for the way.
func (d *Driver) Features() driver.Features {
	queue := !d.single()
	return driver.Features{
		Store:                "zookeeper",
		Safety:               driver.SafetyLinearizable,
		Layout:               d.opts.Layout,
		MinTTL:               3 * d.opts.Tick,
		MaxTTL:               maxTTL,
		ExpirySlack:          d.opts.Tick,
		RenewLag:             d.opts.Tick * 3 / 2,
		Tokens:               true,
		Fair:                 queue,
		Shared:               queue,
		TryMayFailSpuriously: queue,
		KV:                   true,
	}
}

// single says that each lock is one node.
func (d *Driver) single() bool { return d.opts.Layout == driver.LayoutSingle }

// Close ends this handle. Its sessions expire, as if the process had died.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.shut = true
	d.mu.Unlock()
	d.stop(driver.ErrClosed)
	d.tasks.Wait()
	return nil
}

// task runs f in a goroutine that Close waits for, unless the handle is closed. f must
// return soon after the handle's context has ended.
func (d *Driver) task(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return false
	}
	d.tasks.Go(f)
	return true
}

// operation runs f as task does, in a worker.
func (d *Driver) operation(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.shut {
		return false
	}
	if !d.workers.take(f) {
		d.tasks.Go(func() { d.workers.work(d.ctx, f) }) // ends with the handle at the latest
	}
	return true
}

func (d *Driver) closed() error {
	if d.ctx.Err() != nil {
		return driver.ErrClosed
	}
	return nil
}

// acl says for whom the nodes are that the driver makes.
func (d *Driver) acl() []zk.ACL {
	if d.opts.Username != "" {
		return zk.AuthACL(zk.PermAll)
	}
	return zk.WorldACL(zk.PermAll)
}

// dial makes a connection to a server.
func (d *Driver) dial(ctx context.Context, network, address string) (net.Conn, error) {
	raw, err := d.opts.Dial(ctx, network, address)
	if err != nil || d.opts.TLS == nil {
		return raw, err
	}
	config := d.opts.TLS.Clone()
	if config.ServerName == "" {
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			_ = raw.Close() // nothing was sent
			return nil, err
		}
		config.ServerName = host
	}
	secure := tls.Client(raw, config)
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = raw.Close() // it is of no use
		return nil, fmt.Errorf("tls: %w", err)
	}
	return secure, nil
}
