package zkserver

import (
	"sync"
	"testing"

	"github.com/holdgate/holdgate/test/proxy"
)

// Network is what the servers of an ensemble reach each other by. Its method Peer is for
// [Config].
type Network struct {
	tb testing.TB

	mu sync.Mutex
	// links are the ways from one server to another: one each for both ports of the latter.
	links map[[2]int][]*proxy.Proxy
}

// NewNetwork returns one that works, and ends with the test.
func NewNetwork(tb testing.TB) *Network {
	return &Network{tb: tb, links: make(map[[2]int][]*proxy.Proxy)}
}

// Peer is where server number i reaches server number j, which listens at an address.
func (n *Network) Peer(i, j int, address string) string {
	p, err := proxy.Start(address, nil)
	if err != nil {
		n.tb.Fatal(err)
	}
	n.tb.Cleanup(func() { _ = p.Close() })
	n.mu.Lock()
	defer n.mu.Unlock()
	n.links[[2]int{i, j}] = append(n.links[[2]int{i, j}], p)
	return p.Address()
}

// Isolate lets nothing through between one server and the others, and tells nobody, until
// heal is called.
func (n *Network) Isolate(i int) (heal func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	var heals []func()
	for way, links := range n.links {
		if way[0] != i && way[1] != i {
			continue
		}
		for _, p := range links {
			heals = append(heals, p.Stall(proxy.Requests), p.Stall(proxy.Answers))
		}
	}
	return func() {
		for _, heal := range heals {
			heal()
		}
	}
}
