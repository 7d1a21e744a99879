package proxy_test

import (
	"encoding/binary"
	"testing"

	"github.com/holdgate/holdgate/test/proxy"
)

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
	c := newPair(t, proxy.HTTP2)
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

// zkMessage is one of ZooKeeper: its length, a number, an operation or the upper half of a
// transaction's number, and more.
func zkMessage(number, operation uint32) []byte {
	m := binary.BigEndian.AppendUint32(nil, 12)
	m = binary.BigEndian.AppendUint32(m, number)
	m = binary.BigEndian.AppendUint32(m, operation)
	return append(m, "more"...)
}

// The answer to the first request that writes is lost, whatever is told in between.
func TestEatAnswerOfZooKeeper(t *testing.T) {
	t.Parallel()
	const create, getData, told = 1, 4, 0xffffffff
	c := newPair(t, proxy.ZooKeeper)
	c.proxy.EatAnswer()
	for _, m := range [][]byte{zkMessage(0, create), zkMessage(1, getData), zkMessage(2, create), zkMessage(3, create)} {
		send(t, c.client, m[:7]) // in pieces
		want(t, c.server, m[:7])
		send(t, c.client, m[7:])
		want(t, c.server, m[7:])
	}
	for _, m := range [][]byte{zkMessage(2, 9), zkMessage(1, 0), zkMessage(told, 0), zkMessage(3, 0)} {
		send(t, c.server, m)
		want(t, c.client, m)
	}
	send(t, c.server, zkMessage(2, 0))
	wantClosed(t, c.client)
	wantClosed(t, c.server)
}

// The answer to the first script is lost, or to the next one if the server did not know
// that one.
func TestEatAnswerOfRedis(t *testing.T) {
	t.Parallel()
	const (
		hello = "*2\r\n$5\r\nHELLO\r\n$1\r\n3\r\n"
		first = "*3\r\n$7\r\nevalsha\r\n$4\r\nabcd\r\n$1\r\n0\r\n"
		again = "*3\r\n$4\r\neval\r\n$6\r\nre\r\nrn\r\n$1\r\n0\r\n"
		ping  = "*1\r\n$4\r\nping\r\n"

		map3   = "%2\r\n+server\r\n$5\r\nredis\r\n+modules\r\n*1\r\n%1\r\n:1\r\n$-1\r\n"
		void   = "-NOSCRIPT no matching script\r\n"
		pushed = ">2\r\n+message\r\n*2\r\n$3\r\n:\r\n\r\n_\r\n"
		answer = "*2\r\n$2\r\nok\r\n:7\r\n"
	)
	c := newPair(t, proxy.Redis)
	c.proxy.EatAnswer()
	for _, request := range []string{hello, first, ping} {
		send(t, c.client, []byte(request[:len(request)-3])) // in pieces
		want(t, c.server, []byte(request[:len(request)-3]))
		send(t, c.client, []byte(request[len(request)-3:]))
		want(t, c.server, []byte(request[len(request)-3:]))
	}
	for _, told := range []string{map3, pushed, void, "+PONG\r\n"} {
		send(t, c.server, []byte(told))
		want(t, c.client, []byte(told))
	}
	send(t, c.client, []byte(ping+again+ping))
	want(t, c.server, []byte(ping+again+ping))
	send(t, c.server, []byte("+PONG\r\n"+pushed))
	want(t, c.client, []byte("+PONG\r\n"+pushed))
	send(t, c.server, []byte(answer))
	wantClosed(t, c.client)
	wantClosed(t, c.server)
}
