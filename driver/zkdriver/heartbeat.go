package zkdriver

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"time"

	"github.com/go-zookeeper/zk"

	"github.com/holdgate/holdgate/driver"
)

// heartbeat is what renewals of one session share.
type heartbeat struct {
	mu      sync.Mutex // one renewal at a time: each is on the condition of the one before
	version int32      // of the session's node, as this process last knew it
	marks   []mark
}

// mark is one that somebody has left in the session's node: that place was asked to go.
// What was said is at the place.
type mark struct {
	Line string `json:"line"`
	ID   string `json:"id"`
}

// Renew writes to the session's node. Only a write proves that a quorum knows of the
// session; reads and pings are answered by a server that was cut off. The write is on
// the condition that nobody else has written there, which is how others leave marks.
func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	marks, err := do(ctx, s, true, func(ctx context.Context) ([]driver.Eviction, error) {
		s.beat.mu.Lock()
		defer s.beat.mu.Unlock()
		if ctx.Err() != nil {
			return nil, context.Cause(ctx) // it waited for the one before
		}
		return s.renew()
	})
	if err != nil {
		return nil, fmt.Errorf("renew session %s: %w", s.id, err)
	}
	return marks, nil
}

func (s *session) renew() ([]driver.Eviction, error) {
	b := &s.beat
	for {
		sent := time.Now()
		stat, err := s.c.zk.Set(s.node, encodeMarks(b.marks), b.version)
		switch {
		case err == nil:
			b.version = stat.Version
			s.expiry.Reset(s.ttl - time.Since(sent))
			return s.told()
		case oneOf(err, zk.ErrNoNode):
			return nil, fmt.Errorf("%w: the node of session %s was removed", driver.ErrSessionLost, s.id)
		case !oneOf(err, zk.ErrBadVersion):
			return nil, wrote(err)
		}
		data, stat, err := s.c.zk.Get(s.node)
		if oneOf(err, zk.ErrNoNode) {
			continue
		}
		if err != nil {
			return nil, read(err)
		}
		b.version, b.marks = stat.Version, decodeMarks(data)
	}
}

// told returns what was said to the marked places that still stand, and forgets the others.
func (s *session) told() ([]driver.Eviction, error) {
	var told []driver.Eviction
	var marks []mark
	for _, m := range s.beat.marks {
		o := s.own.find(m.Line, m.ID)
		if o == nil || o.node == "" {
			continue
		}
		at, err := s.c.look(o.node)
		switch {
		case oneOf(err, zk.ErrNoNode):
			continue
		case err != nil:
			return nil, afterWrite(err)
		}
		marks = append(marks, m)
		if e := at.fill(o.place).Eviction; e != nil {
			told = append(told, *e)
		}
	}
	s.beat.marks = marks
	return told, nil
}

func encodeMarks(marks []mark) []byte {
	if len(marks) == 0 {
		return nil
	}
	return encode(marks)
}

// decodeMarks reads marks. What is not understood is none.
func decodeMarks(data []byte) []mark {
	var marks []mark
	if len(data) == 0 || json.Unmarshal(data, &marks) != nil {
		return nil
	}
	return marks
}
