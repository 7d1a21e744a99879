package etcdstore

import (
	"context"
	"crypto/tls"
	"net"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/remote"
)

// named are credentials that expect one name in the certificates of all servers. The name in a
// tls.Config does not do: etcd's client replaces it by the endpoint's.
type named struct {
	credentials.TransportCredentials
	name string
}

func (n named) ClientHandshake(ctx context.Context, _ string, conn net.Conn) (net.Conn, credentials.AuthInfo, error) {
	return n.TransportCredentials.ClientHandshake(ctx, n.name, conn)
}

func (n named) Clone() credentials.TransportCredentials {
	return named{n.TransportCredentials.Clone(), n.name}
}

// credentialsFor are how a connection is made safe; without TLS it is not.
func credentialsFor(f *remote.Files, secure *tls.Config) credentials.TransportCredentials {
	switch {
	case f == nil:
		return insecure.NewCredentials()
	case f.ServerName == "":
		return credentials.NewTLS(secure)
	}
	return named{credentials.NewTLS(secure), f.ServerName}
}
