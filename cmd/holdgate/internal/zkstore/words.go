package zkstore

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strconv"
	"strings"
	"time"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/health"
)

// Servers tell of themselves when they are sent a word of four letters instead of a request.
// Of all the words this is the one that is allowed where nothing else is said.
const word = "srvr"

// atMost bounds what is read of an answer.
const atMost = 64 << 10

// ask sends a server the word.
func ask(ctx context.Context, secure *tls.Config, server string) (string, error) {
	conn, err := dial(ctx, secure, server)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()                         // it is of no more use
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })() // ends what is under way
	if _, err := io.WriteString(conn, word); err != nil {
		return "", err
	}
	text, err := io.ReadAll(io.LimitReader(conn, atMost))
	if len(text) > 0 {
		err = nil // some servers do not say goodbye
	}
	return string(text), err
}

// dial makes a connection as the driver does.
func dial(ctx context.Context, secure *tls.Config, server string) (net.Conn, error) {
	if secure == nil {
		return new(net.Dialer).DialContext(ctx, "tcp", server)
	}
	return (&tls.Dialer{Config: secure}).DialContext(ctx, "tcp", server)
}

var (
	errNoMajority = errors.New("it does not serve: it finds no majority of the servers, or has just begun")
	errReadOnly   = errors.New("it is read-only: it finds no majority of the servers")
)

// read notes what a server answered, line by line: "Mode: leader".
func read(text string, h *health.Server) error {
	switch {
	case strings.Contains(text, "not currently serving"):
		return errNoMajority
	case strings.Contains(text, "not executed"), !strings.Contains(text, "Mode: "):
		h.Untold = word + " is not in its 4lw.commands.whitelist"
		return nil
	}
	told := make(map[string]string)
	for line := range strings.Lines(text) {
		name, value, _ := strings.Cut(line, ": ")
		told[name] = strings.TrimSpace(value)
	}
	h.Role = told["Mode"]
	h.Version, _, _ = strings.Cut(told["Zookeeper version"], "-")
	h.Load = readLoad(told)
	if h.Role == "read-only" {
		return errReadOnly
	}
	return nil
}

// readLoad returns nil when a number is not there.
func readLoad(told map[string]string) *health.Load {
	times := strings.Split(told["Latency min/avg/max"], "/")
	if len(times) != 3 {
		return nil
	}
	ms, err1 := strconv.ParseFloat(times[1], 64)
	outstanding, err2 := strconv.Atoi(told["Outstanding"])
	connections, err3 := strconv.Atoi(told["Connections"])
	if errors.Join(err1, err2, err3) != nil {
		return nil
	}
	return &health.Load{
		Latency: time.Duration(ms * float64(time.Millisecond)), Outstanding: outstanding, Connections: connections,
	}
}
