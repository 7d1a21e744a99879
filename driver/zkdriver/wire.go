package zkdriver

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// wire is the network below the client. It reads the handshake, which the client does
// not show, and bounds how long a server may be silent.
type wire struct {
	net.Conn
	shaken   func(timeout time.Duration) // told the session's time to live
	patience func() time.Duration        // how long a server may be silent that was asked something

	head []byte // of the handshake's answer, as far as it was read; used by the reader alone

	mu    sync.Mutex
	asked bool      // and nothing was heard since
	by    time.Time // when something must have been heard, while asked
	limit time.Time // the client's own deadline
}

// The answer to the handshake begins with its length, the version of the protocol, and the
// time to live in milliseconds.
const (
	timeoutAt  = 8
	timeoutEnd = 12
)

func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	if !w.asked {
		w.asked, w.by = true, time.Now().Add(w.patience())
		_ = w.bound() // a connection that is closed has no limits
	}
	w.mu.Unlock()
	return w.Conn.Write(b)
}

func (w *wire) Read(b []byte) (int, error) {
	n, err := w.Conn.Read(b)
	if n > 0 {
		w.heard(b[:n])
	}
	return n, err
}

func (w *wire) heard(b []byte) {
	if len(w.head) < timeoutEnd {
		w.head = append(w.head, b[:min(len(b), timeoutEnd-len(w.head))]...)
		if len(w.head) == timeoutEnd {
			ms := binary.BigEndian.Uint32(w.head[timeoutAt:])
			w.shaken(time.Duration(ms) * time.Millisecond)
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.asked = false
	_ = w.bound() // as above
}

// SetReadDeadline is where the client sets its own limit. That of a handshake is many times
// the session's time to live.
func (w *wire) SetReadDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.limit = t
	return w.bound()
}

// bound sets the earlier one of the two limits.
func (w *wire) bound() error {
	limit := w.limit
	if w.asked && (limit.IsZero() || w.by.Before(limit)) {
		limit = w.by
	}
	return w.Conn.SetReadDeadline(limit)
}
