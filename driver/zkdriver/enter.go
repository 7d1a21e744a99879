package zkdriver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// Enter puts a place at the end of a line: one step makes the node and writes to the
// line's own, whose answer tells the moment, which is the place's Order, and whether
// anybody else stands there. Only then the line is read.
func (s *session) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	if err := cmp.Or(c.Check(), s.d.layout.check(c.Line)); err != nil {
		return driver.Place{}, err
	}
	c.Data = bytes.Clone(c.Data) // the operation may outlive the call
	p, err := do(ctx, s, true, func(ctx context.Context) (driver.Place, error) {
		defer s.own.take(c.ID)()
		return s.enter(ctx, c)
	})
	if err != nil {
		return driver.Place{}, fmt.Errorf("enter %q: %w", c.Line, err)
	}
	return p, nil
}

func (s *session) enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	l, i, err := s.standing(c.Line, c.ID)
	switch {
	case err != nil:
		return driver.Place{}, err
	case i >= 0:
		return s.settle(l, i, c)
	case ctx.Err() != nil:
		return driver.Place{}, context.Cause(ctx) // nobody is there any more
	}
	if c.Try {
		if err := s.mayTry(c); err != nil {
			return driver.Place{}, err
		}
	}
	o, others, err := s.join(c, nil)
	switch {
	case err != nil:
		return driver.Place{}, err
	case !others:
		p := o.place
		p.Granted = true
		return p, nil
	}
	if l, err = s.c.list(c.Line); err != nil {
		return driver.Place{}, afterWrite(err)
	}
	if i = l.at(o.node); i < 0 {
		return o.place, nil // removed by now, which Wait tells
	}
	if err := l.mayHoldPlaces(); err != nil {
		return driver.Place{}, s.takeBack(l, i, err)
	}
	return s.settle(l, i, c)
}

// standing looks for a place that an earlier attempt of the same ID has made. It returns
// -1 when there is none, without asking when there was no attempt.
func (s *session) standing(line, id string) (*lineup, int, error) {
	o := s.own.find(line, id)
	if o == nil {
		return nil, -1, nil
	}
	if o.node == "" {
		// The attempt may have been carried out by another server than the one that is
		// asked now.
		if err := s.c.settleLine(line); err != nil {
			return nil, -1, err
		}
	}
	l, err := s.c.list(line)
	if err != nil {
		return nil, -1, err
	}
	i := l.find(id)
	if i >= 0 && o.node == "" {
		if err := s.adopt(l, i); err != nil {
			return nil, -1, err
		}
	}
	if i < 0 {
		s.own.forget(line, id)
	}
	return l, i, nil
}

// adopt takes a node for the session's own that an attempt has made whose answer was lost.
func (s *session) adopt(l *lineup, i int) error {
	at, err := s.c.look(l.of(i))
	switch {
	case oneOf(err, zk.ErrNoNode):
		return fmt.Errorf("%w: place %s was removed just now", driver.ErrUnavailable, l.places[i].ID)
	case err != nil:
		return err
	case at.stat.EphemeralOwner != s.c.zk.SessionID():
		return fmt.Errorf("%w: place ID %s is in use by another session", driver.ErrInvalid, l.places[i].ID)
	}
	p := l.places[i]
	s.own.put(ownPlace{line: l.name, id: p.ID, node: l.of(i), lowered: p.Units < l.nodes[i].claimed, place: at.fill(p)})
	return nil
}

// join makes a place, in one step with other operations that come before. It reports
// whether anybody else stood in the line at that moment.
func (s *session) join(c driver.Claim, before []any) (o ownPlace, others bool, err error) {
	path := s.d.layout.line(c.Line)
	data := s.blank
	if len(c.Data) > 0 {
		data = encode(record{Owner: s.owner, TTL: s.ttl.Milliseconds(), Version: 1, Data: c.Data})
	}
	ops := append(before,
		s.c.create(path+"/"+placeNode(c), data, zk.FlagEphemeralSequential),
		set(path, nil, anyVersion))
	o = ownPlace{line: c.Line, id: c.ID}
	s.own.put(o)
	answers, err := s.c.zk.Multi(ops...)
	if oneOf(err, zk.ErrNoNode) && len(before) == 0 {
		if err = s.c.makeLine(path); err == nil {
			answers, err = s.c.zk.Multi(ops...)
		}
	}
	if err = wrote(err); err != nil {
		if !oneOf(err, driver.ErrUnknownOutcome) {
			s.own.forget(c.Line, c.ID) // refused, or not sent
		}
		if oneOf(err, zk.ErrNoNode) && len(before) == 0 {
			err = fmt.Errorf("%w: the line was removed again", driver.ErrUnavailable)
		}
		return ownPlace{}, false, err
	}
	made, line := answers[len(answers)-2], answers[len(answers)-1]
	o.node = made.String
	o.place = driver.Place{
		Line: c.Line, ID: c.ID, Session: s.id, Owner: s.owner, TTL: s.ttl,
		Kind: c.Kind, Capacity: c.Capacity, Units: c.Units, Data: c.Data,
		Order: uint64(line.Stat.Mzxid), Version: 1,
	}
	s.own.put(o)
	return o, line.Stat.NumChildren > 1, nil
}

// settle judges a place that stands as number i of a line, read at or after its entry: that
// may prove a grant. A claim that must not stay there is taken back.
func (s *session) settle(l *lineup, i int, c driver.Claim) (driver.Place, error) {
	for {
		p := s.own.find(c.Line, c.ID).place
		p.Granted, p.Units = l.fits(i), l.places[i].Units
		var refusal error
		switch {
		case mismatched(l.ahead(i), c):
			refusal = fmt.Errorf("%w: somebody ahead is no %s of capacity %d", driver.ErrMismatch, c.Kind, c.Capacity)
		case p.Granted || !c.Try:
			s.own.behind(c.Line, c.ID, l.obstacle(i))
			return p, nil
		default:
			busy, ok, err := s.c.busy(l, i)
			if err != nil {
				return driver.Place{}, afterWrite(err)
			}
			if ok {
				refusal = busy
			}
		}
		if refusal != nil {
			return driver.Place{}, s.takeBack(l, i, refusal)
		}
		// The head has just gone: it may be this one's turn.
		var err error
		if l, err = s.c.list(c.Line); err != nil {
			return driver.Place{}, afterWrite(err)
		}
		if i = l.find(c.ID); i < 0 {
			return p, nil // removed by now, which Wait tells
		}
	}
}

// takeBack removes a place that must not stay.
func (s *session) takeBack(l *lineup, i int, refusal error) error {
	if err := s.c.removePlace(l, i); err != nil && !oneOf(err, zk.ErrNoNode) {
		return afterWrite(err)
	}
	s.own.forget(l.name, l.places[i].ID)
	return refusal
}

// mayTry looks, before anything is written, whether a try can succeed. The answer may have
// changed by the time the place is made, which is looked at again.
func (s *session) mayTry(c driver.Claim) error {
	// This may be answered by a leader that was abandoned, and so may the list: then a try
	// fails that could succeed. It costs no write when the lock is busy.
	if _, err := s.c.zk.Sync(s.d.layout.line(c.Line)); err != nil {
		return read(err)
	}
	for {
		l, err := s.c.list(c.Line)
		if err != nil {
			return err
		}
		claimed := driver.Place{Kind: c.Kind, Capacity: c.Capacity, Units: c.Units}
		switch err := l.mayHoldPlaces(); {
		case err != nil:
			return err
		case mismatched(l.places, c):
			return fmt.Errorf("%w: somebody stands there who is no %s of capacity %d", driver.ErrMismatch, c.Kind, c.Capacity)
		case driver.Fits(l.places, claimed):
			return nil
		}
		if busy, ok, err := s.c.busy(l, len(l.places)); ok || err != nil {
			if err != nil {
				return err
			}
			return busy
		}
	}
}
