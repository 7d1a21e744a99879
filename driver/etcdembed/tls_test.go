package etcdembed_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// dial returns a client that logs in by itself, not by what the server's options say.
func dial(t *testing.T, s *etcdembed.Server, c clientv3.Config) *clientv3.Client {
	t.Helper()
	c.Endpoints, c.Logger = s.Endpoints(), zap.NewNop()
	client, err := clientv3.New(c)
	if err != nil {
		t.Fatalf("clientv3.New: %v", err)
	}
	t.Cleanup(func() { client.Close() })
	return client
}

// refused is what a request answers whose client is not let in. The client goes on trying, so
// the time for it is short; one that is let in needs far less.
func refused(t *testing.T, c *clientv3.Client) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	_, err := c.Get(ctx, "a")
	return err
}

func TestClientsNeedACertificate(t *testing.T) {
	t.Parallel()
	authority, other := newAuthority(t), newAuthority(t)
	o := alone(t)
	o.TLS = authority.member(t, "server")
	s := start(t, o)
	put(t, client(t, s), "a")

	friend, stranger := authority.member(t, "friend"), other.member(t, "stranger")
	put(t, dial(t, s, clientv3.Config{TLS: authority.trusting(t, &friend)}), "b")
	if refused(t, dial(t, s, clientv3.Config{TLS: authority.trusting(t, nil)})) == nil {
		t.Error("a client without a certificate is served")
	}
	if refused(t, dial(t, s, clientv3.Config{TLS: authority.trusting(t, &stranger)})) == nil {
		t.Error("a client with another authority's certificate is served")
	}
}

// The own client trusts the file, not whom it names: a server that shows another
// certificate is not the own member.
func TestOwnClientKnowsItsServer(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	o := alone(t)
	o.TLS = authority.issue(t, "server", x509.ExtKeyUsageServerAuth)
	o.TLS.CA = ""
	s := start(t, o)

	o.Listen = s.Endpoints()[0]
	if c, err := o.ClientConfig(); err != nil || refused(t, dial(t, s, c)) != nil {
		t.Fatalf("with the same options: %v", err)
	}
	o.TLS = authority.issue(t, "another", x509.ExtKeyUsageServerAuth)
	o.TLS.CA = ""
	c, err := o.ClientConfig()
	if err != nil {
		t.Fatal(err)
	}
	if refused(t, dial(t, s, c)) == nil {
		t.Error("a server with another certificate of the same authority is taken for the own one")
	}
}

func TestMembersTalkOverTLS(t *testing.T) {
	t.Parallel()
	authority := newAuthority(t)
	files := authority.member(t, "member")
	o := meeting(t)
	o.TLS, o.PeerTLS = files, files
	first := start(t, o)

	second := joiner(t, first)
	second.TLS, second.PeerTLS = files, files
	lockAndUnlock(t, client(t, start(t, second)))

	pair := authority.trusting(t, &files)
	conn, err := tls.Dial("tcp", o.ListenPeer, pair)
	if err != nil {
		t.Fatalf("connecting to the peer address with a certificate: %v", err)
	}
	conn.Close()
	if conn, err := tls.Dial("tcp", o.ListenPeer, authority.trusting(t, nil)); err == nil {
		defer conn.Close()
		if _, err := conn.Read(make([]byte, 1)); err == nil { // TLS 1.3 refuses after the client's handshake
			t.Error("the peer address lets in whoever has no certificate")
		}
	}
}
