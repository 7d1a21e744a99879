package main

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// zkTTL is that of all sessions, the longest that the servers of the tests grant, so that
// renewals are few among what is measured.
const zkTTL = 2 * time.Minute

// zkClient is a client of Holdgate over ZooKeeper.
type zkClient struct {
	drv    *zkdriver.Driver
	client *holdgate.Client
	owned  int
}

// openZKClient opens one that hands off in this way.
func openZKClient(handoff holdgate.Handoff) open {
	return func(_ context.Context, s seat) (product, error) {
		drv, err := newZKDriver(s)
		if err != nil {
			return nil, err
		}
		client, err := holdgate.New(drv, &holdgate.Options{TTL: zkTTL, Handoff: handoff})
		if err != nil {
			return nil, errors.Join(err, drv.Close())
		}
		return &zkClient{drv: drv, client: client}, nil
	}
}

// openZKAsync is strict, too, and does not wait for its releases, as in Client.Do.
func openZKAsync(ctx context.Context, s seat) (product, error) {
	p, err := openZKClient(holdgate.Handoff{Strict: true})(ctx, s)
	if err != nil {
		return nil, err
	}
	return zkAsyncClient{p.(*zkClient)}, nil
}

type zkAsyncClient struct{ *zkClient }

func (c zkAsyncClient) locker(context.Context) (locker, error) {
	return &asyncLocker{clientLocker{mutex: c.client.Mutex("async")}}, nil
}

func newZKDriver(s seat) (*zkdriver.Driver, error) {
	return zkdriver.New([]string{s.Endpoint}, &zkdriver.Options{Tick: zkserver.Tick})
}

func (c *zkClient) locker(context.Context) (locker, error) {
	return &clientLocker{mutex: c.client.Mutex("client")}, nil
}

func (c *zkClient) own(context.Context) (locker, error) {
	c.owned++
	return &clientLocker{mutex: c.client.Mutex(ownName(c.owned))}, nil
}

func (c *zkClient) close() error {
	return errors.Join(c.client.Close(context.Background()), c.drv.Close())
}

// zkSession is a session of the driver, without the core.
type zkSession struct {
	drv *zkdriver.Driver
	driver.Session
}

func openZKDriver(ctx context.Context, s seat) (product, error) {
	drv, err := newZKDriver(s)
	if err != nil {
		return nil, err
	}
	session, err := drv.Open(ctx, driver.SessionOptions{TTL: zkTTL})
	if err != nil {
		return nil, errors.Join(err, drv.Close())
	}
	// It would not be renewed, and so end, in the middle of it.
	go renewUntilLost(context.WithoutCancel(ctx), session) // ends with the driver
	return &zkSession{drv, session}, nil
}

// renewUntilLost keeps a session as the core does.
func renewUntilLost(ctx context.Context, s driver.Session) {
	for every := time.NewTicker(zkTTL / 6); ; <-every.C {
		if _, err := s.Renew(ctx); errors.Is(err, driver.ErrClosed) || errors.Is(err, driver.ErrSessionLost) {
			every.Stop()
			return
		}
	}
}

func (s *zkSession) locker(context.Context) (locker, error) {
	return &placeLocker{session: s, line: "driver"}, nil
}
func (s *zkSession) close() error { return s.drv.Close() }
