package holdgate

import (
	"encoding/binary"
	"encoding/hex"
	"io"
	"sync"
	"time"
)

// random is a client's source of randomness: IDs of places, and jitter. It reads
// ahead, since asking the system for each ID would cost more than the rest of
// taking a lock in memory.
type random struct {
	source io.Reader

	mu   sync.Mutex
	buf  [1024]byte
	next int
}

func newRandom(source io.Reader) *random {
	r := &random{source: source}
	r.next = len(r.buf)
	return r
}

// id returns 128 random bits as 32 hexadecimal digits.
func (r *random) id() string {
	bits := r.read()
	return hex.EncodeToString(bits[:])
}

// below returns a duration from 0 to d.
func (r *random) below(d time.Duration) time.Duration {
	bits := r.read()
	return time.Duration(binary.LittleEndian.Uint64(bits[:]) % uint64(d)) //nolint:gosec // d is positive
}

func (r *random) read() (bits [16]byte) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.next == len(r.buf) {
		if _, err := io.ReadFull(r.source, r.buf[:]); err != nil {
			panic("holdgate: no randomness: " + err.Error()) // crypto/rand never fails
		}
		r.next = 0
	}
	r.next += copy(bits[:], r.buf[r.next:])
	return bits
}
