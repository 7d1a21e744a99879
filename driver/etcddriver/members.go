package etcddriver

import (
	"errors"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// members are the endpoints of the client. All requests of a handle go to one of them, as
// long as that one answers. The client's own connection spreads them over all that
// accept connections, and a server that hangs still does: it would swallow every
// third renewal.
//
// A member that does not answer is left for the one that was left longest ago. So one
// that is well again is taken back in its turn, and nobody has to find out when.
type members struct {
	client *clientv3.Client
	now    atomic.Pointer[member] // the one that is asked

	mu      sync.Mutex
	all     []*member
	closed  bool
	closing sync.WaitGroup // of connections; begun only under mu, while not closed
}

// newMembers begins with any one of them, so that processes spread over all.
func newMembers(client *clientv3.Client) (*members, error) {
	ms := &members{client: client}
	for _, endpoint := range client.Endpoints() {
		m, err := connect(client, endpoint)
		if err != nil {
			ms.close()
			return nil, err
		}
		ms.all = append(ms.all, m)
	}
	if len(ms.all) == 0 {
		return nil, errors.New("the client has no endpoint")
	}
	ms.now.Store(ms.all[rand.IntN(len(ms.all))])
	return ms, nil
}

// current is the member to ask.
func (ms *members) current() *member { return ms.now.Load() }

// leave has another member asked from now on.
func (ms *members) leave(m *member, now time.Duration) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	m.left = now
	ms.moveFromLocked(m)
}

// giveUp leaves a member that is silent, and its connection, which may be what died: then
// a new one to the same endpoint works. What was under way on it ends at once.
func (ms *members) giveUp(m *member, now time.Duration) {
	ms.mu.Lock()
	defer ms.mu.Unlock()
	i := slices.Index(ms.all, m)
	if i < 0 || ms.closed {
		return // somebody else did
	}
	fresh, err := connect(ms.client, m.endpoint)
	if err != nil {
		return // it was possible before, so that this is not the member's fault
	}
	fresh.left = now
	ms.all[i] = fresh
	ms.moveFromLocked(m)
	ms.dropLocked(m)
}

// dropLocked ends a connection. gRPC would first say goodbye on it, for up to five seconds
// where nothing gets through.
func (ms *members) dropLocked(m *member) {
	m.gone.Store(true)
	ms.closing.Go(func() { _ = m.conn.Close() }) // awaited by close
}

// moveFromLocked chooses another member, unless somebody has done so.
func (ms *members) moveFromLocked(m *member) {
	if ms.now.Load() != m || ms.closed {
		return
	}
	ms.refreshLocked()
	ms.now.Store(slices.MinFunc(ms.all, func(a, b *member) int { return int(a.left - b.left) }))
}

// refreshLocked follows the client, whose endpoints may have been set anew.
func (ms *members) refreshLocked() {
	endpoints := ms.client.Endpoints()
	for _, endpoint := range endpoints {
		if slices.ContainsFunc(ms.all, func(m *member) bool { return m.endpoint == endpoint }) {
			continue
		}
		if m, err := connect(ms.client, endpoint); err == nil {
			ms.all = append(ms.all, m)
		}
	}
	known := func(m *member) bool { return slices.Contains(endpoints, m.endpoint) }
	if !slices.ContainsFunc(ms.all, known) {
		return // better the old ones than none
	}
	ms.all = slices.DeleteFunc(ms.all, func(m *member) bool {
		if known(m) {
			return false
		}
		ms.dropLocked(m)
		return true
	})
}

// close ends all connections.
func (ms *members) close() {
	ms.mu.Lock()
	if !ms.closed {
		ms.closed = true
		for _, m := range ms.all {
			ms.dropLocked(m)
		}
	}
	ms.mu.Unlock()
	ms.closing.Wait()
}
