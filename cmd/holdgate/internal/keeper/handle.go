package keeper

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"syscall"
)

// How releasing by a handle can fail.
var (
	// ErrHandle: that is no handle.
	ErrHandle = errors.New("a handle is what holdgate acquire printed")
	// ErrNoHandle: there is none, as in h=$(holdgate acquire x) when that failed.
	ErrNoHandle = errors.New("the handle is empty: holdgate acquire printed nothing, as it did not get the lock")
	// ErrUnknown: nothing is kept under the handle, any more.
	ErrUnknown = errors.New("nothing is kept under this handle: it was released, or its process has ended")
	// ErrDied: the keeper was killed, and the lock was lost with it.
	ErrDied = errors.New("lock lost: the process that kept it was killed")
)

const idBytes = 8

func newID() string {
	id := make([]byte, idBytes)
	_, _ = rand.Read(id) // never fails
	return hex.EncodeToString(id)
}

// release is what is asked of a keeper.
const release = "release\n"

// Socket is where a keeper listens. Its path is the handle.
type Socket struct {
	Handle   string
	listener net.Listener
}

// Listen makes a socket.
func Listen(ctx context.Context) (*Socket, error) {
	dir, err := makeDir()
	if err != nil {
		return nil, err
	}
	sweep(dir)
	handle := filepath.Join(dir, newID())
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "unix", handle)
	if err != nil {
		return nil, err
	}
	return &Socket{handle, listener}, nil
}

// Request is somebody who asked for the release, and waits for the outcome.
type Request struct{ conn net.Conn }

// Requests returns those who ask, until the socket is closed.
func (s *Socket) Requests() <-chan Request {
	requests := make(chan Request)
	go func() { // ends when the socket is closed, or with the process
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			go hear(conn, requests) // ends when its caller speaks or hangs up, or with the process
		}
	}()
	return requests
}

// hear waits for what a caller asks. One that is silent keeps nobody else waiting.
func hear(conn net.Conn, requests chan<- Request) {
	if line, _ := bufio.NewReader(io.LimitReader(conn, int64(len(release)))).ReadString('\n'); line == release {
		requests <- Request{conn}
	} else {
		_ = conn.Close()
	}
}

// Answer tells the outcome.
func (r Request) Answer(o Outcome) {
	_ = json.NewEncoder(r.conn).Encode(o) // who does not wait for it does not get it
	_ = r.conn.Close()
}

// Close removes the socket: the handle is unknown from then on.
func (s *Socket) Close() error { return s.listener.Close() }

// Release asks the keeper behind the handle to release its lock, and returns the outcome.
func Release(ctx context.Context, handle string) (Outcome, error) {
	if handle == "" {
		return Outcome{}, ErrNoHandle
	}
	if id, err := hex.DecodeString(filepath.Base(handle)); err != nil || len(id) != idBytes || !filepath.IsAbs(handle) {
		return Outcome{}, fmt.Errorf("%w, not %q", ErrHandle, handle)
	}
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "unix", handle)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return lastWord(handle, fmt.Errorf("%w: %s", ErrUnknown, handle))
	case errors.Is(err, syscall.ECONNREFUSED):
		_ = os.Remove(handle) // a keeper that ends by itself does that
		return lastWord(handle, ErrDied)
	case err != nil:
		return Outcome{}, err
	}
	defer conn.Close() //nolint:errcheck // the answer is all that counts
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	var o Outcome
	if _, err = io.WriteString(conn, release); err == nil {
		err = json.NewDecoder(conn).Decode(&o)
	}
	switch {
	case err == nil:
		return o, nil
	case ctx.Err() != nil:
		return Outcome{}, context.Cause(ctx)
	}
	if _, gone := os.Lstat(handle); errors.Is(gone, fs.ErrNotExist) {
		// It was ending, or another was quicker.
		return lastWord(handle, fmt.Errorf("%w: %s", ErrUnknown, handle))
	}
	return lastWord(handle, ErrDied)
}

// Handles returns the handles that begin like this, for completion.
func Handles(begun string) []string {
	var handles []string
	for _, dir := range dirs() {
		found, _ := filepath.Glob(filepath.Join(dir, "????????????????")) // the pattern is well formed
		for _, handle := range found {
			if len(begun) <= len(handle) && handle[:len(begun)] == begun {
				handles = append(handles, handle)
			}
		}
	}
	return handles
}
