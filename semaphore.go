package holdgate

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// Semaphore lets so many permits of a name be held at once, by as many holders as there
// are. It is a small value: make one wherever it is needed.
//
// All stand in one line, first come, first served: who asks for many permits is not passed
// by those who ask for few, so a big request is not starved, and permits may be idle while
// it waits.
//
// The number of permits belongs to the name: who says another one is told ErrMismatch while
// anybody is in line. The permits of a holder that dies are free one TTL later.
type Semaphore struct {
	client  *Client
	name    string
	permits int64
}

// Semaphore returns the semaphore of this name with that many permits: 1 to 2^30. The
// name is UTF-8 of 1 to 512 bytes without NUL. With more than one permit the store has to
// have shared locks (Features.Shared); else the answer is ErrUnsupported.
func (c *Client) Semaphore(name string, permits int64) Semaphore {
	return Semaphore{client: c, name: name, permits: permits}
}

// Name returns the name of the semaphore.
func (s Semaphore) Name() string { return s.name }

// Permits returns how many there are.
func (s Semaphore) Permits() int64 { return s.permits }

// Acquire waits in line until n permits are granted; one Release gives all of them back. It
// answers as [Mutex.Lock] does, and with
//
//   - ErrInvalid when n is not 1 to the number of permits, or that is out of bounds;
//   - ErrMismatch when the name is used with another number of permits, or as another
//     kind of lock;
//   - ErrDeadlock when ctx belongs to holds of the same name that leave too few. With
//     enough of them it may be taken again, but two that each wait for what the other
//     has wait for ever: take what is needed at once.
func (s Semaphore) Acquire(ctx context.Context, n int64) (*Hold, error) {
	return s.take(ctx, n, false)
}

// TryAcquire takes n permits if they are free and nobody waits ahead. It answers as
// [Mutex.TryLock] and Acquire do.
func (s Semaphore) TryAcquire(ctx context.Context, n int64) (*Hold, error) {
	return s.take(ctx, n, true)
}

func (s Semaphore) take(ctx context.Context, n int64, try bool) (*Hold, error) {
	if s.permits < 1 || s.permits > driver.MaxCapacity {
		return nil, fmt.Errorf("%w: a semaphore has 1 to %d permits, %q has %d", ErrInvalid, driver.MaxCapacity, s.name, s.permits)
	}
	if n < 1 || n > s.permits {
		return nil, fmt.Errorf("%w: 1 to %d permits of %q can be acquired, not %d", ErrInvalid, s.permits, s.name, n)
	}
	claim := s.client.claim(s.name, driver.KindSemaphore, s.permits, n)
	claim.Try = try
	return s.client.take(ctx, claim)
}

// Permits returns how many permits of a semaphore the hold has; 1 for a mutex.
func (h *Hold) Permits() int64 { return h.place.claim.Units }
