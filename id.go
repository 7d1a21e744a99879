package holdgate

import (
	"encoding/hex"
	"io"
	"sync"
)

// idSource makes the IDs of places: 128 random bits as 32 hexadecimal digits. It
// reads ahead, since asking the system for each would cost more than the rest of
// taking a lock in memory.
type idSource struct {
	random io.Reader

	mu   sync.Mutex
	buf  [1024]byte
	next int
}

func newIDSource(random io.Reader) *idSource {
	s := &idSource{random: random}
	s.next = len(s.buf)
	return s
}

func (s *idSource) id() string {
	var bits [16]byte
	s.mu.Lock()
	if s.next == len(s.buf) {
		if _, err := io.ReadFull(s.random, s.buf[:]); err != nil {
			panic("holdgate: no randomness: " + err.Error()) // crypto/rand never fails
		}
		s.next = 0
	}
	s.next += copy(bits[:], s.buf[s.next:])
	s.mu.Unlock()
	return hex.EncodeToString(bits[:])
}
