package etcddriver

import (
	"sync/atomic"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	clientv3 "go.etcd.io/etcd/client/v3"
	"google.golang.org/grpc"
)

// member is one endpoint of the store, with a connection of its own.
type member struct {
	pb.KVClient
	pb.LeaseClient
	pb.WatchClient
	pb.MaintenanceClient

	endpoint string
	conn     *grpc.ClientConn

	// owes is when the first request was sent that nothing was heard after, whatever it
	// was and whether or not somebody still waits for its answer; 0 for none.
	owes atomic.Int64
	// gone says that its connection was ended.
	gone atomic.Bool
	// insisted is when a new attempt to connect was last insisted on.
	insisted atomic.Int64

	left time.Duration // when it was last left; guarded by the table's mutex
}

// connect makes a member of an endpoint. It connects when it is first used, with all that
// the client was configured with.
func connect(client *clientv3.Client, endpoint string) (*member, error) {
	conn, err := client.Dial(endpoint)
	if err != nil {
		return nil, err
	}
	return &member{
		KVClient:          pb.NewKVClient(conn),
		LeaseClient:       pb.NewLeaseClient(conn),
		WatchClient:       pb.NewWatchClient(conn),
		MaintenanceClient: pb.NewMaintenanceClient(conn),
		endpoint:          endpoint,
		conn:              conn,
	}, nil
}

const (
	// pingAfter is how long a member may be silent while something is awaited, before it
	// is asked for a word.
	pingAfter = time.Second
	// silentFor is how long it may be silent before it is given up: it hangs, or is cut off
	// without notice.
	silentFor = 3 * time.Second
	// reconnectEvery is how often a new attempt to connect is insisted on.
	reconnectEvery = 200 * time.Millisecond
)

// asked notes that a request is sent now.
func (m *member) asked(now time.Duration) { m.owes.CompareAndSwap(0, int64(now)) }

// spoke notes that the member has said something.
func (m *member) spoke() { m.owes.Store(0) }

// silentSince reports whether nothing was heard since a request was sent then.
func (m *member) silentSince(sent time.Duration) bool {
	owes := m.owes.Load()
	return owes != 0 && time.Duration(owes) <= sent
}

// silent reports whether it has been silent for so long that it is given up.
func (m *member) silent(now time.Duration) bool { return m.silentSince(now - silentFor) }

// reconnect has the connection try again now. By itself it waits for up to two minutes
// after a long outage, and sessions would expire meanwhile though the store is back.
func (m *member) reconnect(now time.Duration) {
	last := m.insisted.Load()
	if now-time.Duration(last) >= reconnectEvery && m.insisted.CompareAndSwap(last, int64(now)) {
		m.conn.ResetConnectBackoff()
	}
}
