package proxy

import (
	"net"
	"sync"
	"sync/atomic"
	"time"
)

// Direction is one way through a proxy.
type Direction int

// The two ways.
const (
	Requests Direction = iota
	Answers
)

// Proxy passes connections on to a server. It works until told otherwise. All methods may
// be called at any time.
type Proxy struct {
	target   string
	protocol Protocol
	listener net.Listener
	serving  sync.WaitGroup

	eat *atomic.Bool // the next answer

	mu    sync.Mutex
	pipes map[*pipe]struct{}
	cuts  int
	// By direction:
	delays [2]time.Duration
	stalls [2]int
	gates  [2]chan struct{} // nil while there is no stall
}

// Start begins to pass connections on to a server, from a free port of the loopback
// interface. Without a protocol there are no answers to eat.
func Start(target string, protocol Protocol) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	if protocol == nil {
		protocol = func() Wire { return opaque{} }
	}
	p := &Proxy{target: target, protocol: protocol, listener: l, eat: new(atomic.Bool), pipes: make(map[*pipe]struct{})}
	p.serving.Go(p.accept) // ends with the listener
	return p, nil
}

// Address is where clients reach the server through the proxy.
func (p *Proxy) Address() string { return p.listener.Addr().String() }

// Close ends all connections, and the proxy.
func (p *Proxy) Close() error {
	err := p.listener.Close()
	p.Cut()
	p.serving.Wait()
	return err
}

// Cut breaks all connections and refuses new ones, until heal is called.
func (p *Proxy) Cut() (heal func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cuts++
	for pipe := range p.pipes {
		pipe.close()
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cuts--
	})
}

func (p *Proxy) isCut() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.cuts > 0
}

// Stall keeps connections open and lets nothing through in a direction, until resume is
// called. What was sent meanwhile then arrives, if its sender is still there.
func (p *Proxy) Stall(d Direction) (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.stalls[d]++; p.stalls[d] == 1 {
		p.gates[d] = make(chan struct{})
	}
	return sync.OnceFunc(func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.stalls[d]--; p.stalls[d] == 0 {
			close(p.gates[d])
			p.gates[d] = nil
		}
	})
}

// Delay makes everything late in a direction, until it is called again with 0.
func (p *Proxy) Delay(d Direction, by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delays[d] = by
}

// Deaden lets nothing more through the connections that are open now: they have died, and
// neither side was told. New ones work.
func (p *Proxy) Deaden() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for pipe := range p.pipes {
		pipe.dead.Store(true)
	}
}

// EatAnswer lets the next request through and breaks the connection in place of its
// answer: it was carried out, and its client does not know. What counts as a request is
// the protocol's.
func (p *Proxy) EatAnswer() { p.eat.Store(true) }

// eats takes the order to eat an answer, if there is one.
func (p *Proxy) eats() bool { return p.eat.CompareAndSwap(true, false) }

// wait is what has to pass before something goes through: the gate first, nil if it is
// open, then a delay.
func (p *Proxy) wait(d Direction) (gate <-chan struct{}, delay time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.gates[d], p.delays[d]
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		p.serving.Go(func() { p.serve(client) }) // ends with either end of the connection
	}
}

// serve passes one connection on.
func (p *Proxy) serve(client net.Conn) {
	defer client.Close()
	if p.isCut() {
		return
	}
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	c := newPipe(p, client, server)
	if !p.opened(c) {
		c.close()
		return
	}
	var ways sync.WaitGroup
	ways.Go(func() { c.pass(server, client, Requests) })
	ways.Go(func() { c.pass(client, server, Answers) })
	ways.Wait()
	c.close()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pipes, c)
}

// opened makes a connection known, unless the proxy was cut meanwhile.
func (p *Proxy) opened(c *pipe) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cuts == 0 {
		p.pipes[c] = struct{}{}
	}
	return p.cuts == 0
}
