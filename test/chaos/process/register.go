package process

import (
	"bufio"
	"encoding/json"
	"errors"
	"io"
	"net"
	"sync"

	"github.com/holdgate/holdgate/internal/history"
)

// write is a message to the register.
type write struct {
	Name  string `json:"name"`
	Hold  string `json:"hold"`
	Token uint64 `json:"token,string"`
}

// Register is what the locks protect: a resource that remembers the largest token it has
// seen of each name, and refuses writes with a smaller one. It lives outside of the
// client processes, so what they sent is decided on whatever becomes of them.
type Register struct {
	log      *history.Log
	listener net.Listener
	serving  sync.WaitGroup

	mu     sync.Mutex
	newest map[string]uint64
}

// NewRegister serves at a socket, and notes in a log what it takes and what not.
func NewRegister(socket string, log *history.Log) (*Register, error) {
	l, err := net.Listen("unix", socket)
	if err != nil {
		return nil, err
	}
	r := &Register{log: log, listener: l, newest: make(map[string]uint64)}
	r.serving.Go(r.accept) // ends with the listener
	return r, nil
}

// Close returns when all that was sent by processes which have ended is decided. Those
// that still run have to end first.
func (r *Register) Close() error {
	err := r.listener.Close()
	r.serving.Wait()
	return err
}

func (r *Register) accept() {
	for {
		conn, err := r.listener.Accept()
		if err != nil {
			return
		}
		r.serving.Go(func() { // ends with the process at the other end
			defer conn.Close()
			if _, err := conn.Write([]byte{welcome}); err != nil {
				return
			}
			for in := json.NewDecoder(bufio.NewReader(conn)); ; {
				var w write
				if in.Decode(&w) != nil {
					return // also a message that was cut off
				}
				r.decide(w)
			}
		})
	}
}

// decide takes a write, or refuses it. The moment is the one at which it does.
func (r *Register) decide(w write) {
	r.mu.Lock()
	defer r.mu.Unlock()
	kind := history.Reject
	if w.Token >= r.newest[w.Name] {
		r.newest[w.Name] = w.Token
		kind = history.Accept
	}
	r.log.Add(history.Event{At: Now(), Kind: kind, Name: w.Name, Hold: w.Hold, Token: w.Token})
}

// Pen is how a process writes to the register. It is safe for concurrent use.
type Pen struct {
	mu   sync.Mutex
	conn net.Conn
	out  *json.Encoder
}

// welcome is what the register says to a connection that it has accepted: one that it has not
// would be forgotten when it closes.
const welcome = '!'

// NewPen connects to the register at a socket.
func NewPen(socket string) (*Pen, error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return nil, err
	}
	if _, err := io.ReadFull(conn, make([]byte, 1)); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return &Pen{conn: conn, out: json.NewEncoder(conn)}, nil
}

// Write sends a write, and does not wait for what becomes of it.
func (p *Pen) Write(name, hold string, token uint64) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.out.Encode(write{Name: name, Hold: hold, Token: token})
}

// Close ends the connection.
func (p *Pen) Close() error { return p.conn.Close() }
