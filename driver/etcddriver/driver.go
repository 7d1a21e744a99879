package etcddriver

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver"
)

// Driver is a handle on etcd. Its methods are safe for concurrent use.
type Driver struct {
	opts    Options
	layout  layout
	members *members
	began   time.Time // see now

	views  *views  // lines that are followed for waiters
	tracks *tracks // keys that are

	gatherer *gatherer

	looked sync.Once // at the server's version

	// ctx ends with the handle, and with the client: what no caller waits for runs on it.
	ctx  context.Context //nolint:containedctx // the handle's own lifetime
	stop context.CancelCauseFunc

	mu     sync.Mutex
	closed bool
	tasks  sync.WaitGroup // all goroutines; begun only under mu, while not closed
	stream *watchStream   // the one that new watches go to
}

var (
	_ driver.Driver   = (*Driver)(nil)
	_ driver.Attacher = (*Driver)(nil)
	_ driver.KV       = (*Driver)(nil)
)

// expirySlack is how late after its TTL etcd frees a lease: it looks every half
// second, then commits. After a change of leader, which starts all leases anew, it
// is later by up to one TTL.
const expirySlack = 2 * time.Second

// maxTTL is the longest lease etcd grants.
const maxTTL = clientv3.MaxLeaseTTL * time.Second

// New returns a driver over a client, which stays the caller's: it is closed after the
// driver. It does not touch the store. Nil options are the defaults.
//
// The driver connects by itself to each of the client's endpoints, as the client is
// configured, and asks one of them as long as that one answers; one that hangs is left
// after three seconds. A client without a connection of its own, such as that of an
// embedded server, is refused: reach that server by its socket.
func New(client *clientv3.Client, o *Options) (*Driver, error) {
	if client == nil {
		return nil, errors.New("etcddriver: no client")
	}
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if client.ActiveConnection() == nil {
		return nil, errors.New("etcddriver: the client has no connection: reach an embedded server by its socket")
	}
	members, err := newMembers(client)
	if err != nil {
		return nil, fmt.Errorf("etcddriver: %w", err)
	}
	d := &Driver{opts: opts, layout: newLayout(opts), members: members, began: time.Now()}
	d.views, d.tracks, d.gatherer = newViews(d), newTracks(d), newGatherer(d)
	d.ctx, d.stop = context.WithCancelCause(client.Ctx())
	return d, nil
}

// now is the handle's clock, which nobody sets back.
func (d *Driver) now() time.Duration { return time.Since(d.began) }

// Features says what etcd promises.
func (d *Driver) Features() driver.Features {
	queue := !d.layout.single
	return driver.Features{
		Store:       "etcd",
		Safety:      driver.SafetyLinearizable,
		Layout:      d.opts.Layout,
		MaxTTL:      maxTTL,
		ExpirySlack: expirySlack,
		Tokens:      true,
		Fair:        queue,
		Shared:      queue,
		KV:          true,
		TryAll:      queue,
		Nudge:       true,
		Attach:      queue,
	}
}

// Close ends this handle. Its sessions expire, as if the process had died. The client
// stays open.
func (d *Driver) Close() error {
	d.mu.Lock()
	d.closed = true
	d.mu.Unlock()
	d.stop(driver.ErrClosed)
	d.views.close()
	d.tracks.close()
	d.members.close()
	d.tasks.Wait()
	return nil
}

// task runs f in a goroutine that Close waits for, unless the handle is closed. f must
// return soon after the handle's context has ended.
func (d *Driver) task(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.taskLocked(f)
}

func (d *Driver) taskLocked(f func()) bool {
	if d.closed {
		return false
	}
	d.tasks.Go(f)
	return true
}

// Line returns one line, up to date.
func (d *Driver) Line(ctx context.Context, name string) (driver.Line, error) {
	l, err := d.lineup(ctx, name)
	if err != nil {
		return driver.Line{}, err
	}
	return l.line(), nil
}

// lineup reads a line.
func (d *Driver) lineup(ctx context.Context, name string) (*lineup, error) {
	if err := d.layout.check(name); err != nil {
		return nil, err
	}
	prefix := d.layout.line(name)
	answer, err := read(ctx, d, (*member).Range, rangeOf(d.layout.places(name)))
	if err != nil {
		return nil, fmt.Errorf("line %q: %w", name, err)
	}
	return newLineup(name, prefix, answer.Kvs), nil
}
