package proxy_test

import (
	"net"
	"testing"

	"github.com/holdgate/holdgate/test/proxy"
)

// echo is a server that answers each byte by itself.
func echo(t *testing.T) (address string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() { // ends with the listener
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { // ends with the client
				defer c.Close()
				b := make([]byte, 1)
				for {
					if _, err := c.Read(b); err != nil {
						return
					}
					if _, err := c.Write(b); err != nil {
						return
					}
				}
			}()
		}
	}()
	return l.Addr().String()
}

func dial(t *testing.T, l *proxy.Link, address string) net.Conn {
	t.Helper()
	c, err := l.Dial(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func wantEcho(t *testing.T, c net.Conn) {
	t.Helper()
	send(t, c, []byte("x"))
	want(t, c, []byte("x"))
}

// What is wrong with the way to one server is not with that to another, and also with a way
// that nobody went before. It is mended when the last who broke it mends it.
func TestLink(t *testing.T) {
	t.Parallel()
	l := proxy.NewLink(t, nil)
	one, two, three := echo(t), echo(t), echo(t)
	a, b := dial(t, l, one), dial(t, l, two)
	wantEcho(t, a)
	wantEcho(t, b)

	heal, healAll := l.Cut(one, three), l.Cut()
	wantClosed(t, a)
	wantClosed(t, b)
	healAll()
	for _, address := range []string{one, three} {
		if c, err := l.Dial(t.Context(), "tcp", address); err == nil {
			c.Close()
			t.Error("a link that is cut was dialed")
		}
	}
	wantEcho(t, dial(t, l, two))
	heal()
	a, b = dial(t, l, one), dial(t, l, two)

	resume, resumeAll := l.Stall(one), l.Stall()
	send(t, a, []byte("x"))
	send(t, b, []byte("x"))
	wantNothing(t, a)
	wantNothing(t, b)
	resumeAll()
	want(t, b, []byte("x"))
	wantNothing(t, a)
	resume()
	want(t, a, []byte("x"))
	wantEcho(t, dial(t, l, three))
}

// A connection that died without a word is of no use, and another one is.
func TestDeaden(t *testing.T) {
	t.Parallel()
	l := proxy.NewLink(t, nil)
	address := echo(t)
	a := dial(t, l, address)
	wantEcho(t, a)
	l.Deaden()
	send(t, a, []byte("x"))
	wantNothing(t, a)
	wantEcho(t, dial(t, l, address))
}
