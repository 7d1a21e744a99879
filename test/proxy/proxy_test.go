package proxy_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"time"

	"github.com/holdgate/holdgate/test/proxy"
)

// soon is long for what happens on the loopback interface, short for what never does.
const soon = 200 * time.Millisecond

// pair is a client and a server with a proxy between them.
type pair struct {
	proxy          *proxy.Proxy
	listener       net.Listener
	client, server net.Conn
}

func newPair(t *testing.T) *pair {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p, err := proxy.Start(l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	c := &pair{proxy: p, listener: l}
	c.connect(t)
	return c
}

func (c *pair) connect(t *testing.T) {
	t.Helper()
	var err error
	if c.client, err = net.Dial("tcp", c.proxy.Address()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.client.Close() })
	if c.server, err = c.listener.Accept(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.server.Close() })
}

func send(t *testing.T, to net.Conn, b []byte) {
	t.Helper()
	if _, err := to.Write(b); err != nil {
		t.Fatal(err)
	}
}

func want(t *testing.T, from net.Conn, b []byte) {
	t.Helper()
	_ = from.SetReadDeadline(time.Now().Add(10 * time.Second))
	got := make([]byte, len(b))
	if _, err := io.ReadFull(from, got); err != nil || !bytes.Equal(got, b) {
		t.Fatalf("got %q, error %v, want %q", got, err, b)
	}
}

func wantNothing(t *testing.T, from net.Conn) {
	t.Helper()
	_ = from.SetReadDeadline(time.Now().Add(soon))
	if n, err := from.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("got %d bytes, error %v, want nothing", n, err)
	}
}

func wantClosed(t *testing.T, from net.Conn) {
	t.Helper()
	_ = from.SetReadDeadline(time.Now().Add(10 * time.Second))
	if n, err := from.Read(make([]byte, 1)); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
		t.Fatalf("got %d bytes, error %v, want the end of the connection", n, err)
	}
}

func TestPasses(t *testing.T) {
	t.Parallel()
	c := newPair(t)
	big := bytes.Repeat([]byte("request"), 100_000)
	go func() { _, _ = c.client.Write(big) }() // ends when all was read
	want(t, c.server, big)
	send(t, c.server, []byte("answer"))
	want(t, c.client, []byte("answer"))
	c.server.Close()
	wantClosed(t, c.client)
}

func TestCut(t *testing.T) {
	t.Parallel()
	c := newPair(t)
	heal := c.proxy.Cut()
	wantClosed(t, c.client)
	wantClosed(t, c.server)
	refused, err := net.Dial("tcp", c.proxy.Address())
	if err == nil {
		wantClosed(t, refused)
		refused.Close()
	}
	heal()
	c.connect(t)
	send(t, c.client, []byte("request"))
	want(t, c.server, []byte("request"))
}

func TestStall(t *testing.T) {
	t.Parallel()
	c := newPair(t)
	resume := c.proxy.Stall(proxy.Answers)
	send(t, c.client, []byte("request"))
	want(t, c.server, []byte("request"))
	send(t, c.server, []byte("answer"))
	wantNothing(t, c.client)
	again := c.proxy.Stall(proxy.Requests)
	send(t, c.client, []byte("another"))
	wantNothing(t, c.server)
	resume()
	want(t, c.client, []byte("answer"))
	wantNothing(t, c.server)
	again()
	want(t, c.server, []byte("another"))
}

func TestDelay(t *testing.T) {
	t.Parallel()
	c := newPair(t)
	c.proxy.Delay(proxy.Requests, soon)
	sent := time.Now()
	send(t, c.client, []byte("request"))
	want(t, c.server, []byte("request"))
	if took := time.Since(sent); took < soon {
		t.Errorf("a request took %v, want at least %v", took, soon)
	}
	c.proxy.Delay(proxy.Requests, 0)
	c.proxy.Delay(proxy.Answers, soon)
	sent = time.Now()
	send(t, c.server, []byte("answer"))
	want(t, c.client, []byte("answer"))
	if took := time.Since(sent); took < soon {
		t.Errorf("an answer took %v, want at least %v", took, soon)
	}
	// What follows is as late, not later.
	const many = 50
	sent = time.Now()
	for n := range many {
		send(t, c.server, []byte{byte(n)})
		time.Sleep(time.Millisecond) // so that each is one by itself
	}
	for n := range many {
		want(t, c.client, []byte{byte(n)})
	}
	if took := time.Since(sent); took > many/2*soon {
		t.Errorf("%d answers took %v, want hardly more than %v", many, took, soon)
	}
}

// data is a frame of HTTP/2 with four bytes.
func data(stream uint32, ends bool) []byte {
	f := []byte{0, 0, 4, 0, 0, 0, 0, 0, 0, 'd', 'a', 't', 'a'}
	if ends {
		f[4] = 1
	}
	binary.BigEndian.PutUint32(f[5:], stream)
	return f
}

// The answer to the first request that is complete is lost, and that of no other stream.
// The request itself arrives.
func TestEatAnswer(t *testing.T) {
	t.Parallel()
	c := newPair(t)
	hello := []byte("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
	send(t, c.client, hello)
	want(t, c.server, hello)
	c.proxy.EatAnswer()
	for _, f := range [][]byte{data(1, false), data(3, true), data(5, true)} {
		send(t, c.client, f[:4]) // in pieces
		want(t, c.server, f[:4])
		send(t, c.client, f[4:])
		want(t, c.server, f[4:])
	}
	for _, f := range [][]byte{data(1, false), data(5, true)} {
		send(t, c.server, f)
		want(t, c.client, f)
	}
	send(t, c.server, data(3, true))
	wantClosed(t, c.client)
	wantClosed(t, c.server)

	c.connect(t)
	send(t, c.client, append(hello, data(1, true)...))
	want(t, c.server, append(hello, data(1, true)...))
	send(t, c.server, data(1, true))
	want(t, c.client, data(1, true))
}
