package main

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
)

// etcdTTL is that of all sessions: so long that no renewals are among what is measured.
const etcdTTL = 10 * time.Minute

func dialEtcd(endpoint string) (*clientv3.Client, error) {
	return clientv3.New(clientv3.Config{Endpoints: []string{endpoint}, Logger: zap.NewNop()})
}

// etcdClient is a client of Holdgate over etcd.
type etcdClient struct {
	drv    *etcdDriver
	client *holdgate.Client
	owned  int
}

func openClient(_ context.Context, s seat) (product, error) {
	return newEtcdClient(s, &holdgate.Options{TTL: etcdTTL})
}

func openStrictClient(_ context.Context, s seat) (product, error) {
	return newEtcdClient(s, &holdgate.Options{TTL: etcdTTL, Handoff: holdgate.Handoff{Strict: true}})
}

// openAsyncClient is strict, too, and does not wait for its releases, as in Client.Do.
func openAsyncClient(ctx context.Context, s seat) (product, error) {
	c, err := openStrictClient(ctx, s)
	if err != nil {
		return nil, err
	}
	return &asyncClient{c.(*etcdClient)}, nil
}

func newEtcdClient(s seat, o *holdgate.Options) (*etcdClient, error) {
	drv, err := newEtcdDriver(s)
	if err != nil {
		return nil, err
	}
	client, err := holdgate.New(drv, o)
	if err != nil {
		return nil, errors.Join(err, drv.close())
	}
	return &etcdClient{drv: drv, client: client}, nil
}

func (c *etcdClient) locker(context.Context) (locker, error) {
	return &clientLocker{mutex: c.client.Mutex("client")}, nil
}

func (c *etcdClient) own(context.Context) (locker, error) {
	c.owned++
	return &clientLocker{mutex: c.client.Mutex(ownName(c.owned))}, nil
}

func (c *etcdClient) close() error {
	return errors.Join(c.client.Close(context.Background()), c.drv.close())
}

type clientLocker struct {
	mutex holdgate.Mutex
	hold  *holdgate.Hold
}

func (l *clientLocker) lock(ctx context.Context) (err error) {
	l.hold, err = l.mutex.Lock(ctx)
	return err
}

func (l *clientLocker) unlock(ctx context.Context) error { return l.hold.Release(ctx) }

type asyncClient struct{ *etcdClient }

func (c *asyncClient) locker(context.Context) (locker, error) {
	return &asyncLocker{clientLocker{mutex: c.client.Mutex("async")}}, nil
}

type asyncLocker struct{ clientLocker }

func (l *asyncLocker) unlock(context.Context) error { return l.hold.ReleaseAsync() }

// etcdDriver is the driver over a client of its own.
type etcdDriver struct {
	*etcddriver.Driver
	etcd *clientv3.Client
}

func newEtcdDriver(s seat) (*etcdDriver, error) {
	etcd, err := dialEtcd(s.Endpoint)
	if err != nil {
		return nil, err
	}
	drv, err := etcddriver.New(etcd, nil)
	if err != nil {
		return nil, errors.Join(err, etcd.Close())
	}
	return &etcdDriver{drv, etcd}, nil
}

func (d *etcdDriver) close() error { return errors.Join(d.Driver.Close(), d.etcd.Close()) }

// driverSession is a session of the driver, without the core.
type driverSession struct {
	drv *etcdDriver
	driver.Session
}

func openDriver(ctx context.Context, s seat) (product, error) {
	drv, err := newEtcdDriver(s)
	if err != nil {
		return nil, err
	}
	session, err := drv.Open(ctx, driver.SessionOptions{TTL: etcdTTL})
	if err != nil {
		return nil, errors.Join(err, drv.close())
	}
	return &driverSession{drv, session}, nil
}

func (s *driverSession) locker(context.Context) (locker, error) {
	return &placeLocker{session: s, line: "driver"}, nil
}
func (s *driverSession) close() error { return s.drv.close() }

type placeLocker struct {
	session driver.Session
	line    string
	place   driver.Place
}

func (l *placeLocker) lock(ctx context.Context) (err error) {
	var id [16]byte
	_, _ = rand.Read(id[:])
	l.place, err = l.session.Enter(ctx, driver.Claim{
		Line: l.line, ID: hex.EncodeToString(id[:]), Kind: driver.KindMutex, Capacity: 1, Units: 1,
	})
	for err == nil && !l.place.Granted {
		l.place, err = l.session.Wait(ctx, l.place)
	}
	return err
}

func (l *placeLocker) unlock(ctx context.Context) error {
	return l.session.Leave(ctx, l.place.Line, l.place.ID)
}
