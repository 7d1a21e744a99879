package etcddriver

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// claim is a claim as this session would write it.
type claim struct {
	driver.Claim
	s     *session
	use   use
	line  keyRange // all keys of its line
	key   string   // its spot
	value []byte
}

// claim checks a claim, and takes a spot for it.
func (s *session) claim(ctx context.Context, c driver.Claim) (*claim, error) {
	if err := cmp.Or(c.Check(), s.d.layout.check(c.Line)); err != nil {
		return nil, err
	}
	if err := s.adopt(ctx, c.Line); err != nil {
		return nil, err
	}
	key, spot := s.d.layout.line(c.Line), s.spots.take(c.Line, c.ID)
	if !s.d.layout.single {
		key += spot
	}
	return &claim{
		Claim: c, s: s,
		use:   useOf(c),
		line:  s.d.layout.places(c.Line),
		key:   key,
		value: placeValue(useOf(c), c.Units, c.ID, s.whose, c.Data),
	}, nil
}

// join writes the place.
func (c *claim) join() *pb.RequestOp { return put(c.key, c.value, c.s.lease) }

// look reads the line and the session's record, to find out why a transaction refused
// the claim.
func (c *claim) look() []*pb.RequestOp { return requests(get(c.line), get(one(c.s.record))) }

// alone is the place when nobody else stands in its line.
func (c *claim) alone(revision int64) driver.Place {
	return driver.Place{
		Line: c.Line, ID: c.ID,
		Session: c.s.ID(), Owner: c.s.owner, TTL: c.s.ttl,
		Kind: c.Kind, Capacity: c.Capacity, Units: c.Units,
		Data:  append([]byte(nil), c.Data...),
		Order: uint64(revision), Version: uint64(revision),
		Granted: true,
	}
}

// errNotThere: a transaction succeeded, and the line that it read lacks what it wrote.
var errNotThere = fmt.Errorf("%w: the store answered without the place it had just written", driver.ErrUnknownOutcome)

// find finds the place that a transaction has made in the line that it read.
func (c *claim) find(answer *pb.TxnResponse, response int) (*lineup, int, error) {
	l := newLineup(c.Line, c.line.from, keysIn(answer, response))
	if i := l.own(c.ID, c.s.lease); i >= 0 {
		return l, i, nil
	}
	return nil, 0, errNotThere
}

// sight is a line as a transaction saw it, which did not let the claim in.
type sight struct {
	*lineup
	revision int64
}

// saw reads what look found. It answers ErrSessionLost when there was no record of the
// session.
func (c *claim) saw(answer *pb.TxnResponse, revision int64) (sight, error) {
	if err := c.s.lives(keysIn(answer, 1)); err != nil {
		return sight{}, err
	}
	return sight{newLineup(c.Line, c.line.from, keysIn(answer, 0)), revision}, nil
}

// standing returns the claim's own place, when an earlier attempt has made it. A claim
// whose spot turns out to be taken gets another one.
func (c *claim) standing(l *lineup) (driver.Place, bool, error) {
	i := l.find(c.ID)
	switch {
	case i >= 0 && l.own(c.ID, c.s.lease) < 0:
		return driver.Place{}, false, fmt.Errorf("%w: place ID %s is in use by another session", driver.ErrInvalid, c.ID)
	case i >= 0:
		return l.place(i), true, nil
	}
	if at := l.at(c.key); at >= 0 {
		c.key = c.line.from + c.s.spots.evade(c.Line, c.ID, l.places[at].ID, c.key[len(c.line.from):])
	}
	return driver.Place{}, false, nil
}

// fits says why the claim cannot join the line at all, wherever it would stand. The
// first native place says what a line is used for; except is one that leaves.
func (c *claim) fits(l *lineup, except string) error {
	if u, ok := l.use(except); ok && u != c.use {
		return fmt.Errorf("%w: %q is a %s of capacity %d, the claim is for a %s of %d",
			driver.ErrMismatch, c.Line, u.kind, u.capacity, c.Kind, c.Capacity)
	}
	if !c.s.d.layout.verbatim {
		return nil
	}
	for i := range l.kvs {
		below := string(l.kvs[i].Key[len(l.prefix):])
		if n := strings.LastIndexByte(below, '/'); n >= 0 {
			return fmt.Errorf("%w: %q is above %q, which is in use: with verbatim names one of them cannot be a line",
				driver.ErrInvalid, c.Line, c.Line+"/"+below[:n])
		}
	}
	return nil
}

// admits reports whether the claim would be granted at the end of the line.
func (c *claim) admits(l *lineup) bool {
	return driver.Fits(l.places, driver.Place{Kind: c.Kind, Capacity: c.Capacity, Units: c.Units})
}

// refusal reports whether an error says that the claim was refused, by the store as it
// is: no place was made by the request that was answered so.
func refusal(err error) bool {
	for _, kind := range []error{
		driver.ErrBusy, driver.ErrMismatch, driver.ErrInvalid, driver.ErrTooLarge, driver.ErrDenied,
		driver.ErrUnsupported, driver.ErrGone,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
