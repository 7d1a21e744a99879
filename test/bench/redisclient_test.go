package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/redisdriver"
)

// redisDriver is the driver over a client of its own.
type redisDriver struct {
	*redisdriver.Driver
	redis *redis.Client
}

func newRedisDriver(s seat) (*redisDriver, error) {
	client := redis.NewClient(&redis.Options{Addr: s.Endpoint})
	drv, err := redisdriver.New(client, nil)
	if err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return &redisDriver{drv, client}, nil
}

func (d *redisDriver) close() error { return errors.Join(d.Driver.Close(), d.redis.Close()) }

// redisClient is a client of Holdgate over Redis.
type redisClient struct {
	drv    *redisDriver
	client *holdgate.Client
	owned  int
}

// openRedisClient opens one that hands off in this way.
func openRedisClient(handoff holdgate.Handoff) open {
	return func(_ context.Context, s seat) (product, error) {
		drv, err := newRedisDriver(s)
		if err != nil {
			return nil, err
		}
		client, err := holdgate.New(drv, &holdgate.Options{TTL: peerTTL, Handoff: handoff})
		if err != nil {
			return nil, errors.Join(err, drv.close())
		}
		return &redisClient{drv: drv, client: client}, nil
	}
}

func (c *redisClient) locker(context.Context) (locker, error) {
	return &clientLocker{mutex: c.client.Mutex("bench")}, nil
}

func (c *redisClient) own(context.Context) (locker, error) {
	c.owned++
	return &clientLocker{mutex: c.client.Mutex(ownName(c.owned))}, nil
}

// ownName is a lock that one goroutine wants alone.
func ownName(n int) string { return fmt.Sprintf("own/%d", n) }

func (c *redisClient) close() error {
	return errors.Join(c.client.Close(context.Background()), c.drv.close())
}

// redisSession is a session of the driver, without the core.
type redisSession struct {
	drv *redisDriver
	driver.Session
}

func openRedisDriver(ctx context.Context, s seat) (product, error) {
	drv, err := newRedisDriver(s)
	if err != nil {
		return nil, err
	}
	session, err := drv.Open(ctx, driver.SessionOptions{TTL: peerTTL})
	if err != nil {
		return nil, errors.Join(err, drv.close())
	}
	return &redisSession{drv, session}, nil
}

func (s *redisSession) locker(context.Context) (locker, error) {
	return &placeLocker{session: s, line: "driver"}, nil
}
func (s *redisSession) close() error { return s.drv.close() }
