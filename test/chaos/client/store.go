package main

import (
	"errors"
	"fmt"
	"time"

	"github.com/redis/go-redis/v9"
	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/driver/zkdriver"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// store is the driver, over a client of its own.
type store struct {
	driver driver.Driver
	client interface{ Close() error } // nil where the driver has made it
}

func (s *store) close() error {
	err := s.driver.Close()
	if s.client != nil {
		err = errors.Join(err, s.client.Close())
	}
	return err
}

// connect makes the driver for the store of the run.
func connect(c process.Config) (*store, error) {
	switch c.Store {
	case "etcd":
		return connectEtcd(c)
	case "zk":
		d, err := zkdriver.New(c.Endpoints, &zkdriver.Options{Tick: c.Tick})
		return &store{driver: d}, err
	case "redis":
		client := redis.NewClient(&redis.Options{Addr: c.Endpoints[0], DialTimeout: time.Second})
		d, err := redisdriver.New(client, nil)
		return &store{driver: d, client: client}, err
	case "sentinel":
		client := redis.NewFailoverClient(&redis.FailoverOptions{
			MasterName: c.Primary, SentinelAddrs: c.Endpoints, DialTimeout: time.Second,
		})
		d, err := redisdriver.New(client, nil)
		return &store{driver: d, client: client}, err
	}
	return nil, fmt.Errorf("there is no store %q", c.Store)
}

func connectEtcd(c process.Config) (*store, error) {
	client, err := clientv3.New(clientv3.Config{
		Endpoints: c.Endpoints, Logger: zap.NewNop(),
		DialTimeout: time.Second, DialKeepAliveTime: 10 * time.Second, DialKeepAliveTimeout: time.Second,
	})
	if err != nil {
		return nil, err
	}
	d, err := etcddriver.New(client, nil)
	return &store{driver: d, client: client}, err
}
