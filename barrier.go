package holdgate

import (
	"context"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// kindBarrier is the kind of line in which the parties of a barrier stand. They take nothing
// of its capacity, which is how many parties there are.
const kindBarrier driver.Kind = "barrier"

// Barrier lets parties begin together: each one waits until so many are there. It is a
// small value: make one wherever it is needed. It may be used again and again, in rounds:
// who comes when a round has begun belongs to the next one.
type Barrier struct {
	client  *Client
	name    string
	parties int64
}

// Barrier returns the barrier of this name for that many parties: 1 to 2^30. The name is
// UTF-8 of 1 to 512 bytes without NUL. All parties have to say the same number; the store
// has to have shared locks (Features.Shared) and an order (Features.Tokens).
//
// Each party watches the line while it waits: that suits hundreds, not many thousands.
func (c *Client) Barrier(name string, parties int64) Barrier {
	return Barrier{client: c, name: name, parties: parties}
}

// Name returns the name of the barrier.
func (b Barrier) Name() string { return b.name }

// Party is one that has entered a barrier: it is counted until it leaves.
type Party struct {
	barrier Barrier
	hold    *Hold
	round   round
}

// Enter waits until all parties are there. ctx bounds the wait; when it ends first, the
// error matches its cause and ErrNotAcquired, and the party is not there any more. It may
// have been counted by then: then the others have begun without it. The other errors are
// those of [Mutex.Lock], ErrInvalid for a number of parties out of bounds, and ErrMismatch
// when others say another one.
//
// A party whose process dies is counted until its session ends, at most a TTL later.
func (b Barrier) Enter(ctx context.Context) (*Party, error) {
	if b.parties < 1 || b.parties > driver.MaxCapacity {
		return nil, fmt.Errorf("%w: a barrier has 1 to %d parties, %q has %d", ErrInvalid, driver.MaxCapacity, b.name, b.parties)
	}
	if f := b.client.features; !f.Shared || !f.Tokens {
		return nil, fmt.Errorf("%w: %s cannot count who stands in a line", ErrUnsupported, f.Store)
	}
	h, err := b.client.take(ctx, b.client.claim(b.name, kindBarrier, b.parties, 0))
	if err != nil {
		return nil, err
	}
	p := &Party{barrier: b, hold: h}
	if p.round, err = p.gather(h.bound(ctx)); err == nil {
		err = h.tell(ctx, p.round.text(roundOpen))
	}
	if err != nil {
		_ = h.ReleaseAsync()
		return nil, notAcquired(b.name, err)
	}
	return p, nil
}

// Wait is Enter for parties that only begin together: it returns when all are there, and
// leaves the barrier by itself.
func (b Barrier) Wait(ctx context.Context) error {
	p, err := b.Enter(ctx)
	if err != nil {
		return err
	}
	p.leaveLater()
	return nil
}

// Context ends when the party has left, or is not counted any more since its session was
// lost; context.Cause tells.
func (p *Party) Context() context.Context { return p.hold.Context() }

// Err returns nil while the party is counted, then as [Hold.Err] does.
func (p *Party) Err() error { return p.hold.Err() }

// Leave waits until all parties of the round have called Leave, or are gone, and leaves the
// barrier: so none goes on before all have done their part. ctx bounds the wait; when it
// ends first the error matches its cause, and the party leaves nevertheless. It answers
// ErrLost when the party had been lost, ErrNotHeld the second time.
func (p *Party) Leave(ctx context.Context) error {
	err := p.hold.tell(ctx, p.round.text(roundDone))
	if err == nil {
		err = p.await(p.hold.bound(ctx), roundDone)
	}
	if p.hold.Err() != nil {
		return p.hold.Release(ctx)
	}
	if err != nil {
		p.leaveLater() // somebody may not have seen yet that the round has begun
		return fmt.Errorf("leave %q: %w", p.barrier.name, err)
	}
	return p.hold.Release(ctx)
}

// leaveLater leaves as soon as nobody of the round needs this party any more, at most
// after one TTL: until then, who does not know yet that the round has begun learns it from
// what this party tells.
func (p *Party) leaveLater() {
	c := p.barrier.client
	c.task(func() { // ends within a TTL, or with the client
		ctx, done := c.within(p.hold.Context(), c.opts.TTL)
		_ = p.await(ctx, roundOpen)
		done()
		_ = p.hold.Release(c.ctx)
	})
}

// gather waits until the round of this party begins.
func (p *Party) gather(ctx context.Context) (round, error) {
	order := p.hold.place.last().Order
	for line, err := range p.barrier.client.follow(ctx, p.barrier.name) {
		if err != nil {
			return round{}, err
		}
		if line.Find(p.hold.PlaceID()) < 0 {
			continue // it is gone, of which the hold is told
		}
		if r, begun := roundOf(line.Places, order, p.barrier.parties); begun {
			return r, nil
		}
	}
	return round{}, ErrClosed
}

// await waits until all who are still there of the round are as far as this.
func (p *Party) await(ctx context.Context, state roundState) error {
	for line, err := range p.barrier.client.follow(ctx, p.barrier.name) {
		if err != nil {
			return err
		}
		if p.round.reached(line.Places, state) {
			return nil
		}
	}
	return ErrClosed
}
