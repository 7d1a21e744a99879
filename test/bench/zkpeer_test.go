package main

import (
	"context"

	"github.com/go-zookeeper/zk"
)

// zkPeer locks with the Lock that comes with go-zookeeper. Its goroutines share a
// connection, and each has a Lock of its own.
type zkPeer struct {
	conn  *zk.Conn
	owned int
}

func openZKPeer(_ context.Context, s seat) (product, error) {
	conn, err := dialZK(s)
	return &zkPeer{conn: conn}, err
}

func dialZK(s seat) (*zk.Conn, error) {
	conn, _, err := zk.Connect([]string{s.Endpoint}, zkTTL, zk.WithLogInfo(false), zk.WithLogger(silence{}))
	return conn, err
}

// silence drops what a client has to say: it says that it is connected.
type silence struct{}

func (silence) Printf(string, ...any) {}

func zkWorld() []zk.ACL { return zk.WorldACL(zk.PermAll) }

func (p *zkPeer) locker(context.Context) (locker, error) {
	return zkLocker{zk.NewLock(p.conn, "/peer/bench", zkWorld())}, nil
}

func (p *zkPeer) own(context.Context) (locker, error) {
	p.owned++
	return zkLocker{zk.NewLock(p.conn, "/peer/"+ownName(p.owned), zkWorld())}, nil
}

func (p *zkPeer) close() error { p.conn.Close(); return nil }

// zkLocker takes no context: it is waited for without an end.
type zkLocker struct{ peer *zk.Lock }

func (l zkLocker) lock(context.Context) error   { return l.peer.Lock() }
func (l zkLocker) unlock(context.Context) error { return l.peer.Unlock() }
