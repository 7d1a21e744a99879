package etcdembed

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"syscall"
)

// prepareAddress does what etcd leaves undone before it listens.
func (s *settings) prepareAddress(ctx context.Context) error {
	switch {
	case s.listen.Scheme == "unix":
		return s.checkSocket(ctx)
	case s.listen.Port() == "0":
		return s.pickPort(ctx)
	}
	return nil
}

// checkSocket refuses a socket on which somebody listens. etcd would take its name away: it
// removes what is there, since a process that was killed leaves its socket.
func (s *settings) checkSocket(ctx context.Context) error {
	conn, err := new(net.Dialer).DialContext(ctx, "unix", s.listen.Path)
	if err != nil {
		return nil //nolint:nilerr // nobody listens, which is as it should be
	}
	_ = conn.Close()
	return fmt.Errorf("socket %s: %w", s.listen.Path, syscall.EADDRINUSE)
}

// pickPort replaces port 0. Between this and etcd's listening another process might take
// the port; Start then fails, and can be repeated.
func (s *settings) pickPort(ctx context.Context) error {
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", s.listen.Host)
	if err != nil {
		return err
	}
	defer l.Close() //nolint:errcheck // it has accepted nothing
	_, port, err := net.SplitHostPort(l.Addr().String())
	if err != nil {
		return err
	}
	for _, u := range []*url.URL{&s.listen, &s.advertise} {
		if u.Port() == "0" {
			u.Host = net.JoinHostPort(u.Hostname(), port)
		}
	}
	return nil
}
