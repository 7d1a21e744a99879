package memdriver

import (
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// enter puts a place at the end of its line, unless it stands there already.
func (st *state) enter(r *record, c *driver.Claim) (driver.Place, error) {
	if r.lost {
		return driver.Place{}, r.lostError()
	}
	p, err := st.standing(r, c)
	if err != nil {
		return driver.Place{}, err
	}
	if p == nil {
		if err := st.lines[c.Line].check(c, c.Try); err != nil {
			return driver.Place{}, err
		}
		p = st.join(r, c)
	}
	return p.view(), nil
}

// tryAll enters all claims or none.
func (st *state) tryAll(r *record, claims []driver.Claim) ([]driver.Place, error) {
	if r.lost {
		return nil, r.lostError()
	}
	for i := range claims {
		c, l := &claims[i], st.lines[claims[i].Line]
		switch p, err := st.standing(r, c); {
		case err != nil:
			return nil, err
		case p != nil && !p.Granted:
			return nil, l.busy()
		case p == nil:
			if err := l.check(c, true); err != nil {
				return nil, err
			}
		}
	}
	places := make([]driver.Place, len(claims))
	for i := range claims {
		p, _ := st.standing(r, &claims[i])
		if p == nil {
			p = st.join(r, &claims[i])
		}
		places[i] = p.view()
	}
	return places, nil
}

// swap removes the place old and enters c, in one step.
func (st *state) swap(r *record, old string, c *driver.Claim) (driver.Place, error) {
	if r.lost {
		return driver.Place{}, r.lostError()
	}
	p, err := st.standing(r, c)
	if err != nil {
		return driver.Place{}, err
	}
	if p != nil { // an earlier try succeeded
		return p.view(), nil
	}
	leaver := st.own(r, c.Line, old)
	if leaver == nil {
		return driver.Place{}, gone(c.Line, old)
	}
	// Alone in line, the place may change the line's kind.
	if l := leaver.line; l.count-l.foreign > 1 {
		if err := l.check(c, false); err != nil {
			return driver.Place{}, err
		}
	}
	st.remove(leaver)
	return st.join(r, c).view(), nil
}

// standing returns the place of a claim if it stands.
func (st *state) standing(r *record, c *driver.Claim) (*place, error) {
	p := st.lines[c.Line].find(c.ID)
	if p != nil && p.session != r {
		return nil, fmt.Errorf("%w: place ID %s is in use by another session", driver.ErrInvalid, c.ID)
	}
	return p, nil
}

// own returns a place of this session, or nil.
func (st *state) own(r *record, line, id string) *place {
	if p := st.lines[line].find(id); p != nil && p.session == r {
		return p
	}
	return nil
}

// check says why a claim may not join the line.
func (l *line) check(c *driver.Claim, try bool) error {
	if l == nil {
		return nil
	}
	if l.count > l.foreign && (l.kind != c.Kind || l.capacity != c.Capacity) {
		return fmt.Errorf("%w: %q is a %s of capacity %d, the claim is for a %s of %d",
			driver.ErrMismatch, l.name, l.kind, l.capacity, c.Kind, c.Capacity)
	}
	if try && !l.admits(&driver.Place{Kind: c.Kind, Capacity: c.Capacity, Units: c.Units}) {
		return l.busy()
	}
	return nil
}

func (l *line) busy() error {
	return &driver.BusyError{Head: l.head.view(), Ahead: l.count}
}

// join makes the place of a claim that was checked.
func (st *state) join(r *record, c *driver.Claim) *place {
	p := &place{
		Place: driver.Place{
			Line: c.Line, ID: c.ID,
			Session: r.id, Owner: r.owner, TTL: r.ttl,
			Kind: c.Kind, Capacity: c.Capacity, Units: c.Units,
			Data:    c.Data,
			Version: 1,
		},
		session: r,
	}
	r.adopt(p)
	st.put(p)
	p.Order = p.seq
	return p
}

// put gives a place the next position in its line.
func (st *state) put(p *place) {
	st.orders++
	p.seq = st.orders
	l := st.lines[p.Line]
	if l == nil {
		l = &line{name: p.Line}
		st.lines[p.Line] = l
	}
	l.push(p)
	st.lineWatches.touch(p.Line)
}
