package zkdriver

import (
	"encoding/binary"
	"net"
	"sync"
	"time"
)

// wire is the network below the client. It reads the handshake, which the client does
// not show, and bounds how long a server may be silent.
//
// It does that by itself, and the client's own deadlines are not passed on. They are set
// four times for each request, and each is a timer that may wake a thread; and that of a
// handshake is many times the session's time to live. The client asks for a sign of life
// three times in that time, so whoever is silent is asked something soon.
type wire struct {
	net.Conn
	shaken   func(timeout time.Duration) // told the session's time to live
	patience func() time.Duration        // how long a server may be silent that was asked something

	head []byte // of the handshake's answer, as far as it was read; used by the reader alone

	mu     sync.Mutex
	asked  bool      // and nothing was heard since
	since  time.Time // when it was asked, while asked
	watch  *time.Timer
	armed  bool // the timer runs, perhaps for an earlier question
	closed bool
}

// The answer to the handshake begins with its length, the version of the protocol, and the
// time to live in milliseconds.
const (
	timeoutAt  = 8
	timeoutEnd = 12
)

// Write never fails: it ends the connection instead, which the client's reader tells it. Of
// a write that fails the client tells each request twice, and stops for good where it gave up
// waiting for the request already: a third word does not fit in.
func (w *wire) Write(b []byte) (int, error) {
	w.ask()
	if _, err := w.Conn.Write(b); err != nil {
		_ = w.Close() // it is of no use any more
	}
	return len(b), nil
}

// ask notes that the server has to say something. The timer is left to run when an answer
// came, since the next request is likely before it ends: then it is set anew.
func (w *wire) ask() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.asked || w.closed {
		return
	}
	w.asked, w.since = true, time.Now()
	if !w.armed {
		w.armLocked(w.patience())
	}
}

func (w *wire) armLocked(d time.Duration) {
	w.armed = true
	if w.watch == nil {
		w.watch = time.AfterFunc(d, w.look)
		return
	}
	w.watch.Reset(d)
}

// look ends the connection to a server that was silent for too long.
func (w *wire) look() {
	if w.silent() {
		_ = w.Close() // the client's reader and writer are told
	}
}

// silent reports whether the server has been silent for too long. If it still may be, the
// timer goes on.
func (w *wire) silent() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.armed = false
	if !w.asked || w.closed {
		return false
	}
	left := w.patience() - time.Since(w.since)
	if left > 0 {
		w.armLocked(left)
	}
	return left <= 0
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
}

// SetReadDeadline does nothing: see wire.
func (w *wire) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline does nothing: see wire.
func (w *wire) SetWriteDeadline(time.Time) error { return nil }

// Close ends the connection.
func (w *wire) Close() error {
	w.mu.Lock()
	w.closed = true
	if w.watch != nil {
		w.watch.Stop()
	}
	w.mu.Unlock()
	return w.Conn.Close()
}
