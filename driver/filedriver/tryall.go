package filedriver

import (
	"context"
	"fmt"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// TryAll enters all lines, or none: it holds the stripes of all of them.
func (s *Session) TryAll(ctx context.Context, claims []driver.Claim) ([]driver.Place, error) {
	if err := checkAll(claims); err != nil {
		return nil, err
	}
	k, err := s.calls.begin(ctx)
	if err != nil {
		return nil, err
	}
	defer k.done()
	// In one order everywhere, so that two calls do not wait for each other.
	for _, id := range sortedIDs(claims) {
		turn, err := s.take(k, id)
		if err != nil {
			return nil, err
		}
		defer turn.give()
	}
	unlock, err := s.d.lockStripes(k, claims)
	if err != nil {
		return nil, translate(err)
	}
	defer unlock()
	places, err := s.tryAll(claims)
	return places, translate(err)
}

func checkAll(claims []driver.Claim) error {
	lines, ids := map[string]bool{}, map[string]bool{}
	for i := range claims {
		c := &claims[i]
		if err := c.Check(); err != nil {
			return err
		}
		if lines[c.Line] || ids[c.ID] {
			return fmt.Errorf("%w: each claim has a line and an ID of its own, %q and %s came twice", driver.ErrInvalid, c.Line, c.ID)
		}
		lines[c.Line], ids[c.ID] = true, true
	}
	return nil
}

func sortedIDs(claims []driver.Claim) []string {
	ids := make([]string, len(claims))
	for i := range claims {
		ids[i] = claims[i].ID
	}
	slices.Sort(ids)
	return ids
}

// lockStripes locks the stripes of all lines, in their order.
func (d *Driver) lockStripes(ctx context.Context, claims []driver.Claim) (unlock func(), err error) {
	var numbers []int
	for i := range claims {
		numbers = append(numbers, stripeOf(claims[i].Line))
	}
	slices.Sort(numbers)
	var locked []*stripe
	unlock = func() {
		for _, s := range locked {
			s.unlock()
		}
	}
	for _, n := range slices.Compact(numbers) {
		if err := d.stripes[n].lock(ctx); err != nil {
			unlock()
			return nil, err
		}
		locked = append(locked, d.stripes[n])
	}
	return unlock, nil
}

// tryAll judges all claims before it makes the first place.
func (s *Session) tryAll(claims []driver.Claim) ([]driver.Place, error) {
	lines, views := make([]*line, len(claims)), make([]view, len(claims))
	for i := range claims {
		c := claims[i]
		c.Try = true
		l := s.d.line(c.Line)
		v, err := s.look(l)
		if err != nil {
			return nil, err
		}
		if at := v.find(c.ID); at >= 0 {
			if !v.fits(at) {
				return nil, l.busy(&v)
			}
		} else if err := l.judge(&v, &c, ""); err != nil {
			return nil, err
		}
		lines[i], views[i] = l, v
	}
	return s.joinAll(lines, views, claims)
}

// joinAll makes the places. What it made goes again when one cannot be made.
func (s *Session) joinAll(lines []*line, views []view, claims []driver.Claim) ([]driver.Place, error) {
	places := make([]driver.Place, len(claims))
	var made []*standing
	for i := range claims {
		var err error
		if at := views[i].find(claims[i].ID); at >= 0 {
			places[i], err = s.again(lines[i], &views[i], at)
		} else if places[i], err = s.join(lines[i], &views[i], &claims[i]); err == nil {
			made = append(made, s.standingAt(lines[i].name, claims[i].ID))
		}
		if err != nil {
			for _, st := range made {
				_ = s.remove(st)
			}
			return nil, err
		}
	}
	return places, nil
}
