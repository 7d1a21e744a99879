package zkdriver

import (
	"encoding/binary"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"testing"
	"time"

	"github.com/go-zookeeper/zk"
)

// greet answers one handshake, and then only listens.
func greet(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the connection, or the listener
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		var size [4]byte
		if _, err := io.ReadFull(c, size[:]); err != nil {
			return
		}
		if _, err := io.CopyN(io.Discard, c, int64(binary.BigEndian.Uint32(size[:]))); err != nil {
			return
		}
		answer := binary.BigEndian.AppendUint32(nil, 36)       // its length
		answer = binary.BigEndian.AppendUint32(answer, 0)      // version of the protocol
		answer = binary.BigEndian.AppendUint32(answer, 60_000) // time to live
		answer = binary.BigEndian.AppendUint64(answer, 1)      // session
		answer = binary.BigEndian.AppendUint32(answer, 16)     // length of its password
		_, _ = c.Write(append(answer, make([]byte, 16)...))
		_, _ = io.Copy(io.Discard, c)
	}()
	return l.Addr().String()
}

// breaking is a connection whose next write takes its time, and after which none works.
type breaking struct {
	net.Conn
	mu      sync.Mutex
	writing chan struct{} // closed when that write has begun; nil before it is to break
	goOn    chan struct{} // lets it end
}

func (b *breaking) Write(p []byte) (int, error) {
	b.mu.Lock()
	writing, goOn := b.writing, b.goOn
	b.mu.Unlock()
	if writing == nil {
		return b.Conn.Write(p)
	}
	select {
	case <-writing:
		return 0, errors.New("broken")
	default:
		close(writing)
		<-goOn
		return b.Conn.Write(p)
	}
}

// A client that is closed while requests come ends, also when its connection breaks just
// then: or Close of the handle would wait for it for ever.
func TestClientEndsWhateverBreaks(t *testing.T) {
	t.Parallel()
	address := greet(t)
	b := &breaking{}
	client, events, err := zk.Connect([]string{address}, time.Minute, zk.WithLogger(logger{slog.New(slog.DiscardHandler)}),
		zk.WithDialer(func(network, address string, timeout time.Duration) (net.Conn, error) {
			raw, err := net.DialTimeout(network, address, timeout)
			if err != nil {
				return nil, err
			}
			b.Conn = raw
			return &wire{Conn: b, patience: func() time.Duration { return time.Minute }, shaken: func(time.Duration) {}}, nil
		}))
	if err != nil {
		t.Fatal(err)
	}
	for e := range events {
		if e.State == zk.StateHasSession {
			break
		}
	}
	writing, goOn := make(chan struct{}), make(chan struct{})
	b.mu.Lock()
	b.writing, b.goOn = writing, goOn
	b.mu.Unlock()
	go client.Close() // ends within seconds
	<-writing         // it tells the server
	for range 100 {   // some are taken up all the same
		if _, _, err := client.Get("/"); !errors.Is(err, zk.ErrConnectionClosed) {
			t.Errorf("got %v from a client that is closed", err)
		}
	}
	close(goOn)
	limit := time.NewTimer(30 * time.Second)
	defer limit.Stop()
	for {
		select {
		case _, open := <-events:
			if !open {
				return
			}
		case <-limit.C:
			t.Fatal("the client does not end")
		}
	}
}
