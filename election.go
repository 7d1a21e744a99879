package holdgate

import (
	"context"
	"fmt"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/holdgate/holdgate/driver"
)

// Election chooses one of many as the leader, who tells the others a value: its address,
// say. It is a small value: make one wherever it is needed.
//
// At any moment at most one candidate may believe that it leads. Its term is its fencing
// token, larger than that of all leaders before. A candidate that leads is told when it
// loses leadership, before the next one is granted it.
type Election struct {
	client *Client
	name   string
}

// Election returns the election of this name: UTF-8 of 1 to 512 bytes without NUL.
func (c *Client) Election(name string) Election { return Election{client: c, name: name} }

// Name returns the name of the election.
func (e Election) Name() string { return e.name }

// Leadership is a hold by which a candidate leads: until Resign, or until it is lost.
// Context ends with it, and Token is the term.
type Leadership struct{ *Hold }

// Campaign waits in line until this candidate leads. The others see its value: UTF-8 of
// at least one byte, at most about 3 KiB beside Options.Reason (it is kept in the 4 KiB of
// a place, as JSON). It answers as [Mutex.Lock] does, with ErrInvalid for an empty value
// and ErrTooLarge for one that is too long. A candidate whose session is lost while it
// waits gets in line again, at the end.
func (e Election) Campaign(ctx context.Context, value string) (*Leadership, error) {
	return e.campaign(ctx, value, false)
}

// TryCampaign leads if nobody does, and does not wait in line. It answers as [Mutex.TryLock]
// and Campaign do.
func (e Election) TryCampaign(ctx context.Context, value string) (*Leadership, error) {
	return e.campaign(ctx, value, true)
}

func (e Election) campaign(ctx context.Context, value string, try bool) (*Leadership, error) {
	if err := e.client.checkValue(value); err != nil {
		return nil, err
	}
	claim := e.client.claim(e.name, driver.KindElection, 1, 1)
	claim.Try = try
	claim.Data = note{Reason: e.client.opts.Reason, Value: value}.encode()
	h, err := e.client.take(ctx, claim)
	if err != nil {
		return nil, err
	}
	return &Leadership{h}, nil
}

// checkValue refuses what no candidate may tell.
func (c *Client) checkValue(value string) error {
	if value == "" {
		return fmt.Errorf("%w: the value of a candidate is not empty: it is what the others see", ErrInvalid)
	}
	return c.checkTold("the value of a candidate", value)
}

// checkTold refuses what a place cannot keep beside its reason.
func (c *Client) checkTold(what, value string) error {
	if !utf8.ValidString(value) || strings.IndexByte(value, 0) >= 0 {
		return fmt.Errorf("%w: %s is UTF-8 without NUL, %q is not", ErrInvalid, what, value)
	}
	if size := len(note{Reason: c.opts.Reason, Value: value}.encode()); size > driver.MaxData-noteRoom {
		return fmt.Errorf("%w: value and reason take at most %d bytes as JSON, not %d", ErrTooLarge, driver.MaxData-noteRoom, size)
	}
	return nil
}

// Proclaim tells the others a new value, without a new election. After an error of the store
// or the end of ctx they may see either; leadership is not touched by it, and Proclaim may be
// called again. It answers ErrLost or ErrNotHeld when leadership has ended.
func (l *Leadership) Proclaim(ctx context.Context, value string) error {
	if err := l.place.session.client.checkValue(value); err != nil {
		return err
	}
	if err := l.tell(ctx, value); err != nil {
		return fmt.Errorf("proclaim %q: %w", l.Name(), err)
	}
	return nil
}

// Resign gives leadership up; the next candidate is granted it at once. It is Release: it
// works with a cancelled context, and is repeated in the background when the store does not
// answer.
func (l *Leadership) Resign(ctx context.Context) error { return l.Release(ctx) }

// Leader returns who leads, up to date: its Value, and as Token its term. Granted is false,
// and the rest empty, when nobody does.
func (e Election) Leader(ctx context.Context) (Place, error) {
	line, err := e.client.Line(ctx, e.name)
	if err != nil {
		return Place{}, err
	}
	return leader(line), nil
}

// Participants returns who leads and then those who wait to, in the order in which they
// will.
func (e Election) Participants(ctx context.Context) ([]Place, error) {
	line, err := e.client.Line(ctx, e.name)
	return line.Places, err
}

// leader is who leads in a line.
func leader(l Line) Place {
	if len(l.Places) > 0 && l.Places[0].Granted {
		return l.Places[0]
	}
	return Place{}
}

// Observe yields who leads, and again whenever that or the leader's value changed. A Place
// that is not Granted is a vacancy: nobody leads. Changes may be merged (a vacancy that did
// not last is left out), but the last one is never withheld, and no older one follows a
// newer.
//
// It goes on through outages of the store, and yields nothing meanwhile: what came last is as
// old as the outage, and no proof that somebody leads now. An error ends it: the end of ctx,
// a client that was closed, a store that refuses.
func (e Election) Observe(ctx context.Context) iter.Seq2[Place, error] {
	return func(yield func(Place, error) bool) {
		if err := checkName(e.name); err != nil {
			yield(Place{}, err)
			return
		}
		last := Place{ID: "none yet"}
		for line, err := range e.client.follow(ctx, e.name) {
			if err != nil {
				yield(Place{}, fmt.Errorf("observe %q: %w", e.name, err))
				return
			}
			now := leader(newLine(line))
			if now.ID == last.ID && now.Value == last.Value {
				continue
			}
			last = now
			if !yield(now, nil) {
				return
			}
		}
	}
}
