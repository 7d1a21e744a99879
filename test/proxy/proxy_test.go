package proxy_test

import (
	"bytes"
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

func newPair(t *testing.T, protocol proxy.Protocol) *pair {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	p, err := proxy.Start(l.Addr().String(), protocol)
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
	c := newPair(t, nil)
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
	c := newPair(t, nil)
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

// What was sent before its sender closed the connection arrives, unless nothing goes
// through just then.
func TestSentBeforeTheEnd(t *testing.T) {
	t.Parallel()
	c := newPair(t, nil)
	send(t, c.client, []byte("last words"))
	c.client.Close()
	want(t, c.server, []byte("last words"))
	wantClosed(t, c.server)

	c.connect(t)
	resume := c.proxy.Stall(proxy.Requests)
	send(t, c.client, []byte("last words"))
	c.client.Close()
	wantClosed(t, c.server)
	resume()
}

func TestStall(t *testing.T) {
	t.Parallel()
	c := newPair(t, nil)
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
	c := newPair(t, nil)
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
