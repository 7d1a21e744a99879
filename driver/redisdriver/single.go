package redisdriver

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
)

// Single is a handle on locks of the plain kind that much software speaks: the lock n is the
// key n, set with NX and PX, renewed and deleted by whoever's value it has. So it excludes,
// and is excluded by, redsync, redislock, redis-py and whatever else does that. Its methods
// are safe for concurrent use.
//
// It has mutexes and tries, and nothing else: no order among those who wait, no tokens,
// no watch, no marks, and the data of a place is not kept. A key that is gone lets the next
// one in, whoever believes to hold.
type Single struct{ d *Driver }

var _ driver.Driver = (*Single)(nil)

// NewSingle returns a driver of this layout over the store of a client, see [New]. With
// Options.Prefix begin the records of its sessions; the locks have their names.
func NewSingle(client redis.UniversalClient, o *Options) (*Single, error) {
	d, err := New(client, o)
	if err != nil {
		return nil, err
	}
	return &Single{d: d}, nil
}

// Features says what one key promises.
func (s *Single) Features() driver.Features {
	return driver.Features{
		Store:       "redis",
		Safety:      driver.SafetyBestEffort,
		Layout:      driver.LayoutSingle,
		MinTTL:      minTTL,
		ExpirySlack: expirySlack,
	}
}

// Close ends this handle.
func (s *Single) Close() error { return s.d.Close() }

// Line returns who has the key.
func (s *Single) Line(ctx context.Context, name string) (driver.Line, error) {
	if err := driver.CheckName(name); err != nil {
		return driver.Line{}, err
	}
	l := driver.Line{Name: name}
	value, there, err := s.d.peek(ctx, name)
	if err != nil {
		return l, fmt.Errorf("line %q: %w", name, err)
	}
	if there {
		l.Places = []driver.Place{placeOf(name, value)}
	}
	return l, nil
}

// Watch is refused: a key tells nobody.
func (s *Single) Watch(ctx context.Context, q driver.Query) iter.Seq2[driver.Snapshot, error] {
	return func(yield func(driver.Snapshot, error) bool) {
		err := cmp.Or(q.Check(), s.d.usable(ctx))
		if err == nil {
			err = fmt.Errorf("%w: one key cannot be watched", driver.ErrUnsupported)
		}
		yield(driver.Snapshot{}, err)
	}
}

// Evict deletes the key by force. There is no room for a mark.
func (s *Single) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if err := cmp.Or(driver.CheckName(line), e.Check()); err != nil {
		return err
	}
	value, there, err := s.d.peek(ctx, line)
	switch {
	case err != nil:
		return fmt.Errorf("evict from %q: %w", line, err)
	case !there || placeOf(line, value).ID != placeID:
		return gone(line, placeID)
	case !e.Force:
		return fmt.Errorf("%w: one key has no room for a mark", driver.ErrUnsupported)
	}
	answer, err := s.d.call(ctx, newRequest(s.d.scripts.drop, []string{line}, value, ""))
	if err == nil && answer.text(0) != saysOK {
		err = answer.refusal(line, placeID)
	}
	return err
}

// peek reads a key.
func (d *Driver) peek(ctx context.Context, key string) (value string, there bool, err error) {
	answer, err := d.call(ctx, newRequest(d.scripts.peek, []string{key}))
	return answer.text(0), answer.integer(1) == 1, otherType(key, err)
}

// otherType tells that a key is no string. That is definite: the scripts of this layout look
// before they write. Redisson, say, keeps its locks in hashes.
func otherType(key string, err error) error {
	if err == nil || !strings.Contains(err.Error(), "WRONGTYPE ") {
		return err
	}
	return fmt.Errorf("%w: other software keeps something else at the key %q: %v", driver.ErrMismatch, key, err) //nolint:errorlint // an error is of one kind
}

// valuePrefix is what the values of ours begin with.
const valuePrefix = "holdgate"

// valueOf is what a place of a session sets the key to. It is the same each time, so that it
// can be compared.
func (s *singleSession) valueOf(placeID string) string {
	return strings.Join([]string{
		valuePrefix, placeID, s.id, strconv.FormatInt(s.ttl.Milliseconds(), 10), s.owner,
	}, ":")
}

// placeOf reads a value: that of a place of ours, or anybody's.
func placeOf(line, value string) driver.Place {
	p := driver.Place{Line: line, Granted: true}
	fields := strings.SplitN(value, ":", 5)
	if len(fields) != 5 || fields[0] != valuePrefix || driver.CheckID(fields[1]) != nil {
		p.ID, p.Foreign = cmp.Or(value, "(empty)"), true
		return p
	}
	p.ID, p.Session, p.Owner = fields[1], fields[2], fields[4]
	p.TTL = time.Duration(number(fields[3])) * time.Millisecond
	p.Kind, p.Capacity, p.Units, p.Version = driver.KindMutex, 1, 1, 1
	return p
}
