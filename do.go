package holdgate

import (
	"context"
	"errors"
)

// Do runs fn while it holds the lock of this name. The context that fn gets ends when
// ctx does or the hold is lost. It returns what fn returned, joined with a
// *LostError if the lock was lost while fn ran; when the lock was not acquired fn
// does not run.
//
// The lock is released when fn has returned, or panicked, by ReleaseAsync: the store is
// not waited for.
func (c *Client) Do(ctx context.Context, name string, fn func(ctx context.Context, h *Hold) error) (err error) {
	h, err := c.Mutex(name).Lock(ctx)
	if err != nil {
		return err
	}
	defer func() {
		if lost := h.ReleaseAsync(); lost != nil && !errors.Is(lost, ErrNotHeld) { // fn may have released it
			err = errors.Join(err, lost)
		}
	}()
	h.mu.Lock()
	bound := h.boundLocked(ctx)
	h.mu.Unlock()
	return fn(bound, h)
}
