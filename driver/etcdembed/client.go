package etcdembed

import (
	"net"
	"net/url"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"
)

// Client returns a client of this member, with the rights of Options.User. The caller closes
// it.
func (s *Server) Client() (*clientv3.Client, error) { return clientv3.New(s.set.clientConfig()) }

// Endpoints are the addresses at which clients of this machine reach the member, in the
// form that clientv3 takes.
func (s *Server) Endpoints() []string { return []string{s.set.endpoint()} }

// ClientConfig says how a program on the same machine reaches the member that was started
// with the same options. It looks at Listen, TLS, User and Password.
func (o Options) ClientConfig() (clientv3.Config, error) {
	s := settings{Options: o}
	if err := s.checkAccess(); err != nil {
		return clientv3.Config{}, err
	}
	if s.listen.Port() == "0" {
		return clientv3.Config{}, invalid("Listen", "port 0 is known to the server alone")
	}
	return s.clientConfig(), nil
}

func (s *settings) clientConfig() clientv3.Config {
	return clientv3.Config{
		Endpoints:   []string{s.endpoint()},
		TLS:         s.TLS.own(),
		Username:    s.User,
		Password:    s.Password,
		DialTimeout: tryLimit,     // of logging in, when the client is made
		Logger:      zap.NewNop(), // errors are returned
	}
}

func (s *settings) endpoint() string {
	u := loopback(s.listen)
	return u.String()
}

// loopback is an address to connect to for one that is listened on.
func loopback(u url.URL) url.URL {
	if !isWildcard(u) {
		return u
	}
	host := "127.0.0.1"
	if ip := net.ParseIP(u.Hostname()); ip.To4() == nil {
		host = "::1"
	}
	u.Host = net.JoinHostPort(host, u.Port())
	return u
}
