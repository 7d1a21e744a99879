package holdgate

import (
	"context"
	"fmt"
	"iter"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Presence is a line in which everybody is granted a place at once: who stands in it is
// there. It is what packages membership and discovery are built on, which give places names
// and return to the line after a loss. It is a small value: make one wherever it is needed.
type Presence struct {
	client *Client
	name   string
}

// Presence returns the presence line of this name: UTF-8 of 1 to 512 bytes without NUL. The
// store has to have places that take nothing (Features.Shared).
func (c *Client) Presence(name string) Presence { return Presence{client: c, name: name} }

// Name returns the name of the line.
func (p Presence) Name() string { return p.name }

// placeValue is how it is called in a sentence.
const placeValue = "the value of a place"

// Check reports what is wrong with a value, without asking the store.
func (p Presence) Check(value string) error { return p.client.checkTold(placeValue, value) }

// Stay is a place in a presence line: until Leave, or until it is lost as any hold is. Its
// token excludes nobody; it tells who came later.
type Stay struct{ *Hold }

// Enter takes a place. The others see its value: UTF-8 without NUL, at most about 3 KiB beside
// Options.Reason (it is kept in the 4 KiB of a place, as JSON). There is nothing to
// wait for but the store: while that cannot be reached Enter goes on for one TTL, then
// answers ErrUnavailable. It answers ErrMismatch where the name is that of a lock.
func (p Presence) Enter(ctx context.Context, value string) (*Stay, error) {
	c := p.client
	if err := p.Check(value); err != nil {
		return nil, err
	}
	if !c.features.Shared {
		return nil, fmt.Errorf("%w: on %s every place takes a lock", ErrUnsupported, c.features.Store)
	}
	claim := c.claim(p.name, driver.KindPresence, 1, 0)
	claim.Data = note{Reason: c.opts.Reason, Value: value, Since: time.Now().Round(0)}.encode()
	h, err := c.take(ctx, claim)
	if err != nil {
		return nil, err
	}
	return &Stay{h}, nil
}

// Tell shows the others a new value; the place stays where it is. After an error of the store
// or the end of ctx they may see either, and Tell may be called again. It answers ErrLost or
// ErrNotHeld when the place is gone.
func (s *Stay) Tell(ctx context.Context, value string) error {
	if err := s.place.session.client.checkTold(placeValue, value); err != nil {
		return err
	}
	if err := s.tell(ctx, value); err != nil {
		return fmt.Errorf("tell %q: %w", s.Name(), err)
	}
	return nil
}

// Leave gives the place back. It is Release: it works with a cancelled context, and is
// repeated in the background when the store does not answer.
func (s *Stay) Leave(ctx context.Context) error { return s.Release(ctx) }

// Roll is who is there at one moment, in the order in which they came.
type Roll struct {
	Places []Place
	// Stale says that the store cannot be reached at the moment: the places are as they were
	// seen last.
	Stale bool
}

// Watch yields who is there, whole, and again whenever that changed. Changes may be merged, the
// last one is never withheld, and no older one follows a newer. Through an outage of the
// store it goes on by itself: it yields the last roll once more, as stale, at most a TTL after
// the store went away, and a fresh one when it is back; it never yields an empty one because
// the store is away. An error ends it: the end of ctx, a client that was closed, a store that
// refuses.
//
// A watch that hears nothing asks the store every half TTL, at most 10 s, whether it is there.
func (p Presence) Watch(ctx context.Context) iter.Seq2[Roll, error] {
	return func(yield func(Roll, error) bool) {
		if err := checkName(p.name); err != nil {
			yield(Roll{}, err)
			return
		}
		var last Roll
		known := false
		err := p.client.track(ctx, p.name, tracker{
			probe: min(p.client.opts.TTL/2, attemptLimit),
			told: func(line driver.Line) bool {
				last, known = Roll{Places: newLine(line).Places}, true
				return yield(last, nil)
			},
			away: func() bool {
				if !known || last.Stale {
					return true
				}
				last.Stale = true
				return yield(last, nil)
			},
		})
		if err != nil {
			yield(Roll{}, fmt.Errorf("watch %q: %w", p.name, err))
		}
	}
}
