package proxy

import (
	"context"
	"errors"
	"net"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
)

// Link is the network between one client and all of its servers: a proxy to each, made when
// it is first dialed. Its method Dial is the client's dialer.
type Link struct {
	tb       testing.TB
	protocol Protocol
	eat      *atomic.Bool // shared by the proxies

	mu      sync.Mutex
	proxies map[string]*Proxy
	broken  map[*breakage]struct{}
}

// breakage is what is wrong with the ways to these servers or, when it names none, to all.
type breakage struct {
	addresses []string
	begin     func(*Proxy) (mend func())
	mends     []func()
}

// NewLink returns a link that works, and ends with the test.
func NewLink(tb testing.TB, protocol Protocol) *Link {
	return &Link{
		tb: tb, protocol: protocol, eat: new(atomic.Bool),
		proxies: make(map[string]*Proxy), broken: make(map[*breakage]struct{}),
	}
}

var errCut = errors.New("proxy: the link is cut")

// Dial connects to a server.
func (l *Link) Dial(ctx context.Context, network, address string) (net.Conn, error) {
	p, err := l.way(address)
	if err == nil && p.isCut() {
		err = errCut
	}
	if err != nil {
		return nil, &net.OpError{Op: "dial", Net: network, Err: err}
	}
	return new(net.Dialer).DialContext(ctx, network, p.Address())
}

// way is the proxy to a server.
func (l *Link) way(address string) (*Proxy, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.proxies[address]; p != nil {
		return p, nil
	}
	p, err := Start(address, l.protocol)
	if err != nil {
		return nil, err
	}
	l.tb.Cleanup(func() { _ = p.Close() })
	p.eat = l.eat
	l.proxies[address] = p
	for b := range l.broken {
		b.spoil(address, p)
	}
	return p, nil
}

func (b *breakage) spoil(address string, p *Proxy) {
	if len(b.addresses) == 0 || slices.Contains(b.addresses, address) {
		b.mends = append(b.mends, b.begin(p))
	}
}

// spoil does something to the ways to these servers, or to all, until mend is called.
func (l *Link) spoil(addresses []string, begin func(*Proxy) func()) (mend func()) {
	b := &breakage{addresses: addresses, begin: begin}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.broken[b] = struct{}{}
	for address, p := range l.proxies {
		b.spoil(address, p)
	}
	return sync.OnceFunc(func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.broken, b)
		for _, mend := range b.mends {
			mend()
		}
	})
}

// Cut breaks the connections to these servers, or to all, and refuses new ones, until heal
// is called.
func (l *Link) Cut(addresses ...string) (heal func()) {
	return l.spoil(addresses, (*Proxy).Cut)
}

// Stall lets nothing through to these servers and back, or to any, until resume is called:
// all connections stay open, and new ones can be made, as to a process that was stopped or
// behind a network that drops everything.
func (l *Link) Stall(addresses ...string) (resume func()) {
	return l.spoil(addresses, func(p *Proxy) func() {
		requests, answers := p.Stall(Requests), p.Stall(Answers)
		return func() { requests(); answers() }
	})
}

// Deaden lets nothing more through the connections that are open now: they have died, and
// neither side was told. New ones work.
func (l *Link) Deaden() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, p := range l.proxies {
		p.Deaden()
	}
}

// LoseAnswer lets the next request take effect, to whichever server it goes, and breaks the
// connection in place of its answer. See [Proxy.EatAnswer].
func (l *Link) LoseAnswer() { l.eat.Store(true) }
