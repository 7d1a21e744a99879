package witness

import (
	"sort"
	"sync"
	"time"
)

// clock tells from which moment on a revision can have been committed.
type clock struct {
	mu       sync.Mutex
	read     []reading // both fields increase
	last     time.Duration
	silences []Silence
}

// Silence is a time in which the store answered no read.
type Silence struct{ From, To time.Duration }

// silence is what is worth noting: far longer than a read takes, and than one that was sent
// to a member which is away.
const silence = 500 * time.Millisecond

// reading is a linearizable read: when it was sent, and the revision that it saw.
type reading struct {
	sent     time.Duration
	revision int64
}

// saw notes a read. Those of one reader come in order.
func (c *clock) saw(sent time.Duration, revision int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.last > 0 && sent-c.last > silence {
		c.silences = append(c.silences, Silence{c.last, sent})
	}
	c.last = sent
	if n := len(c.read); n > 0 && c.read[n-1].revision == revision {
		c.read[n-1].sent = sent // the later of two that say the same
		return
	}
	c.read = append(c.read, reading{sent, revision})
}

// notBefore is a moment at which the revision was certainly not committed.
func (c *clock) notBefore(revision int64) time.Duration {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := sort.Search(len(c.read), func(i int) bool { return c.read[i].revision >= revision })
	if i == 0 {
		return 1 // before everything else, but not "unknown"
	}
	return c.read[i-1].sent
}
