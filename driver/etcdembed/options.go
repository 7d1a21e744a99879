package etcdembed

import (
	"log/slog"
)

// Options say how a member is run. Dir is required; the zero value of the rest is the
// default: one member, which only the programs of this machine reach.
//
// An address is "host:port" or a URL. Without a scheme it is http, or https where
// the TLS files are given.
type Options struct {
	// Dir is where the member keeps its data. Start makes it, with mode 0700, and refuses
	// one that others may enter.
	Dir string

	// Listen is where clients reach the member: an IP address or localhost with a port, or
	// unix:///absolute/path, to which the umask decides who may connect. The default is
	// 127.0.0.1:2379. Port 0 is a free one; see [Server.Endpoints].
	Listen string
	// Advertise is the address by which other machines reach Listen. The default is
	// Listen, with the name of this host where that listens on all addresses.
	Advertise string

	// ListenPeer is where the other members reach this one. The default is nowhere: a
	// member that is alone needs none. Given later, it lets others join.
	ListenPeer string
	// AdvertisePeer is the address by which they do. The default is ListenPeer.
	AdvertisePeer string

	// Name is shown in lists of members. The default is the host and port of
	// AdvertisePeer, or "holdgate" without one.
	Name string

	// Cluster has the peer addresses of all members of a new cluster, the own one
	// included, as "address" or "name=address": the same on each of them. It matters
	// until the member has data.
	Cluster []string
	// Join has client addresses of a cluster that this member is to become part of. It
	// matters until the member has a vote, and may stay for good.
	Join []string

	// TLS is shown to clients, and to the members that Join names.
	TLS TLS
	// PeerTLS is for the connections between members. All three files, or none.
	PeerTLS TLS

	// User and Password, if given, are needed by all clients from the first start on.
	// Start creates the user, with all rights, and turns authentication on. Later starts
	// need the same two.
	User, Password string

	// Quota is how large the data may grow, in bytes: 4 GiB when 0, at least 1 MiB. Beyond it
	// writes are refused; deleting and ending sessions still work.
	Quota int64

	// Logger gets what there is to tell; nil discards it.
	Logger *slog.Logger
	// LogLevel is the least level of etcd's own messages: nil is slog.LevelWarn.
	LogLevel slog.Leveler
}

// TLS names files in PEM format. They are read again for every connection, so that
// certificates can be renewed without a restart.
type TLS struct {
	// Cert and Key are the member's certificate and its key.
	Cert, Key string
	// CA has the authorities that certificates of the other side must come from. With it,
	// clients need a certificate; the member's own must then be good for both sides
	// (serverAuth and clientAuth), since it is a client too.
	CA string
}

func (t TLS) empty() bool { return t == TLS{} }

const (
	defaultListen       = "127.0.0.1:2379"
	defaultName         = "holdgate"
	defaultQuota  int64 = 4 << 30
	leastQuota    int64 = 1 << 20
)
