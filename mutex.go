package holdgate

import (
	"context"
	"errors"

	"github.com/holdgate/holdgate/driver"
)

// Mutex is an exclusive lock. It is a small value: make one wherever it is needed.
// Two of the same name are the same lock, in this process and everywhere else.
type Mutex struct {
	client *Client
	name   string
}

// Mutex returns the lock of this name: UTF-8 of 1 to 512 bytes without NUL.
func (c *Client) Mutex(name string) Mutex { return Mutex{client: c, name: name} }

// Name returns the name of the lock.
func (m Mutex) Name() string { return m.name }

// Lock waits in line until the lock is granted. err is nil exactly when it is held.
//
// ctx bounds only the wait. When it ends first, the error matches both its cause and
// ErrNotAcquired, and nothing is left in line. While the store cannot be reached
// Lock goes on for one TTL, then answers ErrUnavailable; one that is in line
// already waits as long as its session lives, and gets in line again when that was
// lost. With a context of a hold of the same name it answers ErrDeadlock.
func (m Mutex) Lock(ctx context.Context) (*Hold, error) {
	return m.take(ctx, false)
}

// TryLock takes the lock if it is free, and does not wait in line. When it is not free
// the error is a *BusyError, and matches ErrBusy; when the store cannot be asked within
// a quarter of a TTL, at most 10 s, it is ErrUnavailable, never ErrBusy.
func (m Mutex) TryLock(ctx context.Context) (*Hold, error) {
	return m.take(ctx, true)
}

func (m Mutex) take(ctx context.Context, try bool) (*Hold, error) {
	c := m.client
	if err := c.checkTake(ctx, driver.Claim{Line: m.name, Kind: driver.KindMutex}); err != nil {
		return nil, err
	}
	begun := c.tellAcquiring(ctx, m.name)
	h, err := m.obtain(ctx, try)
	c.tellAcquired(ctx, m.name, begun, h, err)
	return h, err
}

// obtain takes the lock.
func (m Mutex) obtain(ctx context.Context, try bool) (*Hold, error) {
	h, err := m.stand(ctx, try)
	if err != nil {
		return nil, explain(ctx, m.name, err)
	}
	return h, nil
}

// stand takes the lock through the local line or, when every hold is to have a place of
// its own, by itself.
func (m Mutex) stand(ctx context.Context, try bool) (*Hold, error) {
	c := m.client
	claim := c.claim(m.name, driver.KindMutex, 1, 1)
	claim.Try = try
	if try { // also one that stands behind a Lock which waits for the store
		bounded, done := c.within(ctx, c.tryLimit())
		defer done()
		ctx = bounded
	}
	if c.opts.Handoff.Strict {
		return c.hold(ctx, claim)
	}
	line := c.lines.join(c, claim)
	h, err := line.lock(ctx, try)
	if err != nil {
		c.lines.part(line)
	}
	return h, err
}

// hold acquires a place and makes it a hold of its own.
func (c *Client) hold(ctx context.Context, claim driver.Claim) (*Hold, error) {
	for {
		p, err := c.acquire(ctx, claim)
		if err != nil {
			return nil, err
		}
		h := newHold(ctx, p, nil, 0)
		if err = p.grant(h); err == nil {
			return h, nil
		}
		p.abandon()
		if !errors.Is(err, errSessionOver) {
			return nil, err
		}
	}
}

// newHold makes the hold of a place's grant number seq.
func newHold(ctx context.Context, p *ownPlace, line *localLine, seq int) *Hold {
	return &Hold{
		place: p, line: line, from: ctx,
		token: newToken(p.last().Order, seq),
		since: p.session.client.clock.Now(),
	}
}
