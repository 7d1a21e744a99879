package zkdriver

import (
	"math/rand/v2"
	"sync"
)

// hosts gives the client one server after the other. Names are looked up when they are
// dialled, so that one that cannot be does not stand in the way of the others.
type hosts struct {
	failed func() // told when none of them could be reached

	mu        sync.Mutex
	addresses []string
	next      int
	tried     int // since the last success, or the last round
}

// Init is given the servers.
func (h *hosts) Init(servers []string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.addresses = servers
	h.next = rand.IntN(len(servers))
	return nil
}

// Len is how many there are.
func (h *hosts) Len() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.addresses)
}

// Next returns the server to try now, and whether all were tried: the client then tells
// those who wait, and pauses for a second.
func (h *hosts) Next() (server string, retryStart bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tried == len(h.addresses) {
		h.tried, retryStart = 0, true
	}
	h.tried++
	server = h.addresses[h.next]
	h.next = (h.next + 1) % len(h.addresses)
	if retryStart {
		h.failed()
	}
	return server, retryStart
}

// Connected says that the last one has accepted the session.
func (h *hosts) Connected() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tried = 0
}
