package etcddriver

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// inherited is what a handle has to find out of a session that another one opened: which
// places it has. What it knows of a line is right from its first look at it on, since
// nobody else makes places of the session then (see Attach).
type inherited struct {
	mu    sync.Mutex
	lines map[string]struct{} // that were looked at; as many as the handle uses
}

// carrier is the value of a session's record once a handle has attached to it.
type carrier struct {
	identity
	Handle string `json:"handle"`
}

// handleLen is how long the word of a handle is: 50 random bits.
const handleLen = 10

// Attach carries on a session. It writes the session's record, with a word of its own: so
// no request to make a place that another handle sent before is carried out any more (see
// fence), and whoever finds that word in the record knows that the session has moved on,
// and that what it remembers of it may be wrong.
func (d *Driver) Attach(ctx context.Context, sessionID string) (driver.Session, error) {
	if err := d.usable(ctx); err != nil {
		return nil, err
	}
	if d.layout.single {
		return nil, fmt.Errorf("%w: in this layout a session ends with its handle", driver.ErrUnsupported)
	}
	lease, err := parseLease(sessionID)
	if err != nil {
		return nil, err
	}
	key := d.layout.session(lease)
	answer, err := read(ctx, d, (*member).Range, rangeOf(one(key)))
	switch {
	case err != nil:
		return nil, fmt.Errorf("record of session %s: %w", sessionID, err)
	case len(answer.Kvs) == 0:
		return nil, fmt.Errorf("%w: there is no session %s", driver.ErrSessionLost, sessionID)
	}
	c := carrier{Handle: strings.ToLower(rand.Text()[:handleLen])}
	if err := json.Unmarshal(answer.Kvs[0].Value, &c.identity); err != nil {
		return nil, fmt.Errorf("%w: the record of session %s: %w", driver.ErrInvalid, sessionID, err)
	}
	text, err := json.Marshal(c)
	if err != nil {
		panic(err) // strings and a number
	}
	s := d.newSession(lease, c.identity, text)
	s.spots = newSpots(leaseText(lease) + ":" + c.Handle)
	s.inherited = &inherited{lines: make(map[string]struct{})}
	if err := s.carryOn(ctx, answer.Kvs[0].CreateRevision); err != nil {
		s.ended()
		return nil, err
	}
	return s, nil
}

// carryOn writes the record, if it stands as it was made.
func (s *session) carryOn(ctx context.Context, made int64) error {
	answer, err := s.txn(ctx, &pb.TxnRequest{
		Compare: compares(createdAt(s.record, made)),
		Success: requests(s.fenceOff()),
	})
	switch {
	case err != nil:
		return fmt.Errorf("carry on session %s: %w", s.ID(), err)
	case !answer.Succeeded:
		return s.lost()
	}
	s.fence.moved(answer.Header.Revision)
	return nil
}

// parseLease reads the ID of a session.
func parseLease(id string) (int64, error) {
	n, err := strconv.ParseUint(id, 16, 63)
	lease := int64(n)
	if err != nil || leaseText(lease) != id {
		return 0, fmt.Errorf("%w: a session's ID is 16 hexadecimal digits, not %q", driver.ErrInvalid, id)
	}
	return lease, nil
}

// moved is the error of every call on a session that another handle carries on.
func (s *session) moved() error {
	s.end(driver.ErrMoved)
	return fmt.Errorf("%w: lease %s", driver.ErrMoved, s.ID())
}

// adopt learns which places the session has in a line from before this handle carried it
// on: before its first place there takes a spot, or one is left.
func (s *session) adopt(ctx context.Context, line string) error {
	if s.inherited == nil || s.inherited.knows(line) {
		return nil
	}
	l, err := s.lineup(ctx, line)
	if err != nil {
		return fmt.Errorf("places of session %s in %q: %w", s.ID(), line, err)
	}
	for i, p := range l.places {
		if l.own(p.ID, s.lease) == i {
			s.spots.adopt(line, p.ID, string(l.kvs[i].Key)[len(l.prefix):], p.Order)
		}
	}
	s.inherited.looked(line)
	return nil
}

func (in *inherited) knows(line string) bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	_, ok := in.lines[line]
	return ok
}

func (in *inherited) looked(line string) {
	in.mu.Lock()
	defer in.mu.Unlock()
	in.lines[line] = struct{}{}
}
