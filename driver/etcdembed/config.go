package etcdembed

import (
	"net/url"
	"time"

	"go.etcd.io/etcd/server/v3/embed"
	"go.uber.org/zap"
	"google.golang.org/grpc"
)

// History is how far back watches can be opened. etcd keeps everything unless it is told
// otherwise. A line of locks is all history: every grant is a key that is gone soon. So
// history is cut by time, which bounds the data by the rate of writes; cut by a number
// of revisions, one busy minute would leave no watcher anything to resume from. A watcher
// that was cut off for less than this resumes, and others read again.
//
// etcd keeps up to twice as much. At 10,000 writes a second of 250 bytes that is 1.5 GB, which
// the quota has room for.
const History = 5 * time.Minute

// founding is how a member without data comes to its cluster.
type founding struct {
	token string // of a new cluster: other tokens make other clusters of the same addresses
	seats []seat
	state string // embed.ClusterStateFlagNew or ...Existing
}

// config is etcd's configuration. Writes are synced before they are answered, which is
// etcd's default.
func (s *settings) config(f founding, lg *zap.Logger, register func(*grpc.Server)) *embed.Config {
	c := embed.NewConfig()
	c.Name = s.Name
	c.Dir = s.Dir
	c.ListenClientUrls = []url.URL{s.listen}
	c.AdvertiseClientUrls = []url.URL{s.advertise}
	c.ListenPeerUrls, c.AdvertisePeerUrls = s.peerURLs()
	c.ClientTLSInfo, c.PeerTLSInfo = s.TLS.server(), s.PeerTLS.server()
	c.InitialCluster, c.InitialClusterToken, c.ClusterState = initialCluster(f.seats), f.token, f.state
	c.QuotaBackendBytes = s.Quota
	c.AutoCompactionMode, c.AutoCompactionRetention = embed.CompactorModePeriodic, History.String()
	c.EnableGRPCGateway = false // one more way in, and megabytes for it
	c.ZapLoggerBuilder = embed.NewZapLoggerBuilder(lg)
	c.ServiceRegister = register
	return c
}

func (s *settings) peerURLs() (listen, advertise []url.URL) {
	if s.peer.none() {
		u, _ := url.Parse(nowhere)
		return nil, []url.URL{*u}
	}
	return []url.URL{s.peer.listen}, []url.URL{s.peer.advertise}
}

// peerURL is what the cluster knows this member by.
func (s *settings) peerURL() string {
	_, advertise := s.peerURLs()
	return advertise[0].String()
}
