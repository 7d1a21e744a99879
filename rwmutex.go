package holdgate

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// RWMutex is a lock that many may hold for reading, or one for writing. It is a small
// value: make one wherever it is needed. Two of the same name are the same lock.
//
// All stand in one line, first come, first served: readers that follow one another share
// the lock, one that comes after a waiting writer waits behind it. So no writer starves,
// whatever the readers do.
//
// Readers of one client share a place in that line: one that comes while another one reads
// joins it without asking the store, within the bound of [Handoff]. So long may a writer be
// passed that waits behind that place. Those who wait for a place get in together. Each has
// a hold of its own, with its own token.
//
// A hold for writing fences, see [Token]. One for reading does not: others read with
// other tokens at the same time, and its token only tells it apart.
type RWMutex struct {
	client *Client
	name   string
}

// RWMutex returns the read/write lock of this name: UTF-8 of 1 to 512 bytes without NUL.
// The store has to have shared locks (Features.Shared); else the answer is
// ErrUnsupported.
func (c *Client) RWMutex(name string) RWMutex { return RWMutex{client: c, name: name} }

// Name returns the name of the lock.
func (m RWMutex) Name() string { return m.name }

// Lock waits in line until the lock is granted for writing: to nobody else. It answers
// as [Mutex.Lock] does, and with ErrMismatch when the name is used as another kind of lock.
func (m RWMutex) Lock(ctx context.Context) (*Hold, error) { return m.take(ctx, writer, false) }

// TryLock takes the lock for writing if nobody holds it or waits for it. It answers as
// [Mutex.TryLock] does.
func (m RWMutex) TryLock(ctx context.Context) (*Hold, error) { return m.take(ctx, writer, true) }

// RLock waits in line until the lock is granted for reading, which others may be too. It
// answers as [Mutex.Lock] does. A second RLock with the context of a hold of the same name
// is ErrDeadlock: a writer may wait between the two.
func (m RWMutex) RLock(ctx context.Context) (*Hold, error) { return m.take(ctx, reader, false) }

// TryRLock takes the lock for reading if no writer holds it or waits for it. It answers as
// [Mutex.TryLock] does.
func (m RWMutex) TryRLock(ctx context.Context) (*Hold, error) { return m.take(ctx, reader, true) }

// The units of a line whose capacity any number of readers do not fill.
const (
	reader = 1
	writer = driver.MaxCapacity
)

func (m RWMutex) take(ctx context.Context, units int64, try bool) (*Hold, error) {
	claim := m.client.claim(m.name, driver.KindRW, driver.MaxCapacity, units)
	claim.Try = try
	return m.client.take(ctx, claim)
}

// Downgrade turns a hold for writing into one for reading, without letting a writer in
// between: readers that wait at the head of the line are granted, and writers wait on. The
// token stays. The way back does not exist: two readers would wait for each other.
//
// It answers ErrInvalid for a hold of anything else, ErrLost and ErrNotHeld when the hold
// has ended. After another error the store may have been told or not; the hold is held,
// does not fence any more, and Downgrade may be called again.
func (h *Hold) Downgrade(ctx context.Context) error {
	p := h.place
	if p.claim.Kind != driver.KindRW || p.claim.Units != writer {
		return fmt.Errorf("%w: %q is not held for writing", ErrInvalid, h.Name())
	}
	p.session.mu.Lock()
	p.lowered = true // before anybody else can be granted
	p.session.mu.Unlock()
	if err := h.change(ctx, func(at *driver.Place) { at.Units = reader }); err != nil {
		return fmt.Errorf("downgrade %q: %w", h.Name(), err)
	}
	return nil
}
