package interop_test

import (
	"context"
	"errors"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/go-zookeeper/zk"
	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// concurrencyMutex is the lock of etcd's Go library.
type concurrencyMutex struct{ *concurrency.Mutex }

func newConcurrency(address, lock string) (locker, error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{address}})
	if err != nil {
		return nil, err
	}
	session, err := concurrency.NewSession(client)
	if err != nil {
		return nil, err
	}
	return concurrencyMutex{concurrency.NewMutex(session, lock)}, nil
}

func (l concurrencyMutex) lock(ctx context.Context) error   { return l.Lock(ctx) }
func (l concurrencyMutex) unlock(ctx context.Context) error { return l.Unlock(ctx) }

// zkLock is the Lock of go-zookeeper.
type zkLock struct{ *zk.Lock }

func connect(address string) (*zk.Conn, error) {
	conn, _, err := zk.Connect([]string{address}, 30*time.Second, zk.WithLogInfo(false))
	return conn, err
}

func newGoZooKeeper(address, lock string) (locker, error) {
	conn, err := connect(address)
	if err != nil {
		return nil, err
	}
	return zkLock{zk.NewLock(conn, lock, zk.WorldACL(zk.PermAll))}, nil
}

func (l zkLock) lock(context.Context) error   { return l.Lock.Lock() }
func (l zkLock) unlock(context.Context) error { return l.Lock.Unlock() }

// ephemeral is a node that is there or not: the lock that every client of ZooKeeper can do.
type ephemeral struct {
	conn *zk.Conn
	path string
}

func newEphemeral(address, lock string) (locker, error) {
	conn, err := connect(address)
	if err != nil {
		return nil, err
	}
	return ephemeral{conn, lock}, nil
}

func (l ephemeral) lock(context.Context) error {
	for {
		_, err := l.conn.Create(l.path, []byte("mine"), zk.FlagEphemeral, zk.WorldACL(zk.PermAll))
		switch {
		case errors.Is(err, zk.ErrNoNode):
			_, _ = l.conn.Create(l.path[:len("/jobs")], nil, zk.FlagPersistent, zk.WorldACL(zk.PermAll))
			continue
		case !errors.Is(err, zk.ErrNodeExists):
			return err
		}
		there, _, gone, err := l.conn.ExistsW(l.path)
		if err != nil {
			return err
		}
		if there {
			<-gone
		}
	}
}

func (l ephemeral) unlock(context.Context) error { return l.conn.Delete(l.path, -1) }

// again is how long those who have no news of a key wait before they try again.
const again = 2 * time.Millisecond

// redsyncMutex is the lock of redsync.
type redsyncMutex struct{ *redsync.Mutex }

func newRedsync(address, lock string) locker {
	pool := goredis.NewPool(redis.NewClient(&redis.Options{Addr: address}))
	return redsyncMutex{redsync.New(pool).NewMutex(lock,
		redsync.WithExpiry(time.Minute), redsync.WithTries(1_000_000), redsync.WithRetryDelay(again))}
}

func (l redsyncMutex) lock(ctx context.Context) error { return l.LockContext(ctx) }

func (l redsyncMutex) unlock(ctx context.Context) error {
	_, err := l.UnlockContext(ctx)
	return err
}

// redisLock is the lock of bsm/redislock.
type redisLock struct {
	client *redislock.Client
	key    string
	held   *redislock.Lock
}

func newRedislock(address, lock string) locker {
	return &redisLock{client: redislock.New(redis.NewClient(&redis.Options{Addr: address})), key: lock}
}

func (l *redisLock) lock(ctx context.Context) (err error) {
	l.held, err = l.client.Obtain(ctx, l.key, time.Minute, &redislock.Options{RetryStrategy: redislock.LinearBackoff(again)})
	return err
}

func (l *redisLock) unlock(ctx context.Context) error { return l.held.Release(ctx) }
