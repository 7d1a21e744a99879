package proxy

import (
	"net"
	"sync"
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
	listener net.Listener
	serving  sync.WaitGroup

	mu    sync.Mutex
	pipes map[*pipe]struct{}
	cut   bool
	eat   bool // the next answer
	// By direction:
	delays [2]time.Duration
	gates  [2]chan struct{} // nil while it is open
}

// Start begins to pass connections on to a server, from a free port of the loopback
// interface.
func Start(target string) (*Proxy, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{target: target, listener: l, pipes: make(map[*pipe]struct{})}
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
	p.cut = true
	for pipe := range p.pipes {
		pipe.close()
	}
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.cut = false
	}
}

// Stall keeps connections open and lets nothing through in a direction, until resume is
// called. What was sent meanwhile then arrives.
func (p *Proxy) Stall(d Direction) (resume func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	gate := make(chan struct{})
	p.gates[d] = gate
	return func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.gates[d] == gate {
			p.gates[d] = nil
			close(gate)
		}
	}
}

// Delay makes everything late in a direction, until it is called again with 0.
func (p *Proxy) Delay(d Direction, by time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.delays[d] = by
}

// EatAnswer lets the next request through and breaks the connection in place of its
// answer: it was carried out, and its client does not know. A request is a stream of
// HTTP/2 that the client ends; what goes on, such as a watch, is none.
func (p *Proxy) EatAnswer() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.eat = true
}

// eats takes the order to eat an answer, if there is one.
func (p *Proxy) eats() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	eat := p.eat
	p.eat = false
	return eat
}

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
	p.mu.Lock()
	cut := p.cut
	p.mu.Unlock()
	if cut {
		return
	}
	server, err := net.Dial("tcp", p.target)
	if err != nil {
		return
	}
	c := &pipe{proxy: p, client: client, server: server, closed: make(chan struct{})}
	if !p.opened(c) {
		c.close()
		return
	}
	var ways sync.WaitGroup
	ways.Go(func() { c.pass(server, client, Requests) })
	ways.Go(func() { c.pass(client, server, Answers) })
	ways.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.pipes, c)
}

// opened makes a connection known, unless the proxy was cut meanwhile.
func (p *Proxy) opened(c *pipe) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.cut {
		p.pipes[c] = struct{}{}
	}
	return !p.cut
}
