package redisdriver

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
)

// Driver is a handle on Redis. Its methods are safe for concurrent use.
type Driver struct {
	opts        Options
	keys        keys
	scripts     *scripts
	connections *connections          // for requests
	subscriber  redis.UniversalClient // for the feed
	lanes       *lanes
	feed        *feed
	sweeper     *sweeper

	// ctx ends with the handle: what no caller waits for runs on it.
	ctx  context.Context //nolint:containedctx // the handle's own lifetime
	stop context.CancelCauseFunc

	mu     sync.Mutex
	closed bool
	tasks  sync.WaitGroup // all goroutines; begun only under mu, while not closed
}

var (
	_ driver.Driver = (*Driver)(nil)
	_ driver.KV     = (*Driver)(nil)
)

const (
	// minTTL is the shortest TTL that a busy network can keep.
	minTTL = 100 * time.Millisecond
	// expirySlack is how late after its TTL a session is ended: Redis does nothing by
	// itself, so that somebody who waits has to come and look.
	expirySlack = time.Second
)

// New returns a driver over the store of a client, which stays the caller's and is closed
// after the driver. It does not touch the store. Nil options are the defaults.
//
// The driver makes a client of its own from the options of the caller's, without retries:
// wrappers and hooks of the caller's are not seen.
func New(client redis.UniversalClient, o *Options) (*Driver, error) {
	opts, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	d := &Driver{opts: opts, keys: newKeys(opts.Prefix), scripts: newScripts()}
	d.ctx, d.stop = context.WithCancelCause(context.Background())
	connect, err := newClient(d.ctx, client)
	if err != nil {
		return nil, err
	}
	d.connections, d.subscriber = newConnections(connect), connect(nil)
	d.lanes = &lanes{d: d}
	d.feed, d.sweeper = newFeed(d), newSweeper(d)
	return d, nil
}

// Features says what Redis promises.
func (d *Driver) Features() driver.Features {
	return driver.Features{
		Store:       "redis",
		Safety:      driver.SafetyBestEffort,
		Layout:      driver.LayoutQueue,
		MinTTL:      minTTL,
		ExpirySlack: expirySlack,
		Tokens:      true,
		Fair:        true,
		Shared:      true,
		KV:          true,
		TryAll:      true,
	}
}

// Close ends this handle. Its sessions expire, as if the process had died. The caller's
// client stays open.
func (d *Driver) Close() error {
	d.mu.Lock()
	first := !d.closed
	d.closed = true
	d.mu.Unlock()
	if first {
		d.stop(driver.ErrClosed)
		d.connections.close() // what is under way at a server that hangs ends by this
		_ = d.subscriber.Close()
	}
	d.tasks.Wait()
	return nil
}

// task runs f in a goroutine that Close waits for, unless the handle is closed. f must
// return soon after the handle's context has ended.
func (d *Driver) task(f func()) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return false
	}
	d.tasks.Go(f)
	return true
}

// pause waits, and reports whether the handle is still open.
func (d *Driver) pause(wait time.Duration) bool {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-d.ctx.Done():
		return false
	}
}

// Line returns one line, up to date.
func (d *Driver) Line(ctx context.Context, name string) (driver.Line, error) {
	if err := driver.CheckName(name); err != nil {
		return driver.Line{}, err
	}
	answer, err := d.call(ctx, d.lineRequest(name))
	if err != nil {
		return driver.Line{}, fmt.Errorf("line %q: %w", name, err)
	}
	return shownLine(answer)
}

func (d *Driver) lineRequest(name string) *request {
	return newRequest(d.scripts.line, d.keys.ofLine(name), name)
}

// shownLine reads a line as lua/show.lua shows it.
func shownLine(r reply) (driver.Line, error) {
	l := driver.Line{Name: r.text(0)}
	for i := 1; i < len(r); i++ {
		p, err := shownPlace(l.Name, r.list(i))
		if err != nil {
			return driver.Line{}, err
		}
		l.Places = append(l.Places, p)
	}
	slices.SortFunc(l.Places, func(a, b driver.Place) int { return cmp.Compare(a.Order, b.Order) })
	l.Grant()
	return l, nil
}

// Evict asks a place to go.
func (d *Driver) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if err := cmp.Or(driver.CheckName(line), e.Check()); err != nil {
		return err
	}
	text, err := writeMark(e)
	if err != nil {
		return fmt.Errorf("%w: %w", driver.ErrInvalid, err)
	}
	answer, err := d.call(ctx, newRequest(d.scripts.evict, d.keys.ofLine(line), line, placeID, flag(e.Force), text))
	if err == nil && answer.text(0) != saysOK {
		err = answer.refusal(line, placeID)
	}
	if err != nil {
		return fmt.Errorf("evict from %q: %w", line, err)
	}
	return nil
}

func flag(set bool) string {
	if set {
		return "1"
	}
	return ""
}
