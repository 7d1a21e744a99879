package holdgate

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// MaxLockAll is how many names LockAll and TryLockAll take: more do not fit one
// transaction of every store.
const MaxLockAll = 32

// LockAll waits until the mutexes of all these names are held, and returns one hold of
// them. They are taken one after the other in the order of the names, whatever the order
// here, so that two who want the same ones do not wait for each other; it takes a
// round trip for each. Those it has got are held while it waits for the next. When it
// returns an error nothing is held.
//
// The hold has a token for each name ([Hold.TokenFor]); when one name is lost the hold
// is, and Release gives all of them back. It excludes, and is excluded by, Mutex of each
// name. It answers as [Mutex.Lock] does, and ErrInvalid for no name, a name that comes
// twice, or more than MaxLockAll.
//
// The order protects only within one call: who holds some names, and then wants others, can
// wait for somebody who does it the other way round.
func (c *Client) LockAll(ctx context.Context, names ...string) (*Hold, error) {
	sorted, err := c.checkNames(ctx, names)
	if err != nil {
		return nil, err
	}
	for {
		holds, err := c.lockInOrder(ctx, sorted)
		if err == nil {
			return together(holds), nil
		}
		for _, h := range slices.Backward(holds) {
			if lost := h.ReleaseAsync(); endedBySession(lost) && ctx.Err() == nil {
				err = nil // nobody asked it to give up: it starts anew
			}
		}
		if err != nil {
			return nil, err
		}
	}
}

// lockInOrder locks one name after the other. With an error it returns what it had got by
// then. When one of those is lost it does not wait on.
func (c *Client) lockInOrder(ctx context.Context, names []string) (holds []*Hold, err error) {
	for _, name := range names {
		h, err := c.Mutex(name).Lock(ctx)
		if err != nil {
			return holds, err
		}
		holds = append(holds, h)
		ctx = h.bound(ctx)
	}
	return holds, nil
}

// endedBySession reports whether a hold was lost with its session, and not because somebody
// removed or evicted it.
func endedBySession(err error) bool {
	var lost *LostError
	return errors.As(err, &lost) && (lost.Reason == LostExpired || lost.Reason == LostSession)
}

// TryLockAll locks the mutexes of all these names if every one of them is free, or none. Where
// the store can (Features.TryAll) it is one transaction, else one try after the
// other. It answers as LockAll and [Mutex.TryLock] do; the *BusyError is about the first
// name that was in the way.
func (c *Client) TryLockAll(ctx context.Context, names ...string) (*Hold, error) {
	sorted, err := c.checkNames(ctx, names)
	if err != nil {
		return nil, err
	}
	ctx, done := c.within(ctx, c.tryLimit())
	defer done()
	if c.features.TryAll {
		return c.tryTogether(ctx, sorted)
	}
	var holds []*Hold
	for _, name := range sorted {
		h, err := c.Mutex(name).TryLock(ctx)
		if err != nil {
			for _, h := range slices.Backward(holds) {
				_ = h.Release(ctx) // before anybody tries again; else in the background
			}
			return nil, err
		}
		holds = append(holds, h)
	}
	return together(holds), nil
}

// checkNames refuses what can be refused without the store, and sorts.
func (c *Client) checkNames(ctx context.Context, names []string) ([]string, error) {
	if len(names) == 0 || len(names) > MaxLockAll {
		return nil, fmt.Errorf("%w: 1 to %d names can be locked together, not %d", ErrInvalid, MaxLockAll, len(names))
	}
	sorted := slices.Sorted(slices.Values(names))
	for i, name := range sorted {
		if i > 0 && name == sorted[i-1] {
			return nil, fmt.Errorf("%w: %q comes twice", ErrInvalid, name)
		}
		if err := c.checkTake(ctx, driver.Claim{Line: name, Kind: driver.KindMutex}); err != nil {
			return nil, err
		}
	}
	return sorted, nil
}

// together makes one hold of several: the first one, which ends when one of the others does.
func together(holds []*Hold) *Hold {
	h := holds[0]
	h.others = holds[1:]
	for _, other := range h.others {
		other.whenEnded(h.end)
	}
	return h
}

// whenEnded calls f with the cause once the hold ends, at once if it has.
func (h *Hold) whenEnded(f func(cause error)) {
	h.mu.Lock()
	ended := h.err
	if ended == nil {
		h.onEnd = append(h.onEnd, f)
	}
	h.mu.Unlock()
	if ended != nil {
		f(ended)
	}
}

// of returns the hold of this name among those that are held together, or nil.
func (h *Hold) of(name string) *Hold {
	if h.Name() == name {
		return h
	}
	for _, other := range h.others {
		if other.Name() == name {
			return other
		}
	}
	return nil
}

// Names returns the names that are held: one, except after LockAll.
func (h *Hold) Names() []string {
	names := []string{h.Name()}
	for _, other := range h.others {
		names = append(names, other.Name())
	}
	return names
}

// TokenFor returns the fencing token of one of the names that are held together, as Token
// does for a hold of one. It is 0 for any other name.
func (h *Hold) TokenFor(name string) Token {
	one := h.of(name)
	if one == nil || h.Err() != nil {
		return 0
	}
	return one.token
}

// giveBackAll gives back everything that is held together, at once.
func (h *Hold) giveBackAll(ctx context.Context, lost error) error {
	errs := make([]error, len(h.others))
	var others sync.WaitGroup
	for i, other := range h.others {
		others.Go(func() { // ends with the release
			gone, err := other.finish()
			if err == nil {
				err = other.giveBackOne(ctx, gone)
			}
			errs[i] = err
		})
	}
	err := h.giveBackOne(ctx, lost)
	others.Wait()
	if lost != nil {
		return lost // what the others say follows from it, or was told before
	}
	return errors.Join(append([]error{err}, errs...)...)
}

// PlaceIDFor returns the ID of the place that one of the names that are held together is held
// by, "" for any other name.
func (h *Hold) PlaceIDFor(name string) string {
	if one := h.of(name); one != nil {
		return one.PlaceID()
	}
	return ""
}
