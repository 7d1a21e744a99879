package chaos

import (
	"context"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness/redislog"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

// redisRoot is what all keys of the driver begin with by default.
const redisRoot = "{holdgate}:"

func redisKind() *kind {
	return &kind{
		name: "redis", start: startRedis, members: 1, protocol: proxy.Redis, reaches: reachesAll(),
		faults: append(sharedFaults(),
			fault{"scripts flushed", onStore, nil, onRedis("SCRIPT", "FLUSH")},
			fault{"connections killed", onStore, nil, onRedis("CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes")},
			fault{"subscriptions killed", onStore, nil, onRedis("CLIENT", "KILL", "TYPE", "pubsub")},
		),
	}
}

// redisStore is one server, that keeps on disk what it does before it answers.
type redisStore struct {
	server *redisserver.Server
	admin  *redis.Client
	log    *redislog.Witness
	look   *redisdriver.Driver
}

func startRedis(r *run) store {
	s := &redisStore{server: redisserver.Start(r.tb, redisserver.Options{Config: []string{
		"--appendonly", "yes", "--appendfsync", "always", "--auto-aof-rewrite-percentage", "0",
	}})}
	s.admin = redis.NewClient(&redis.Options{
		Addr: s.server.Address(), DialTimeout: adminIn, ContextTimeoutEnabled: true,
	})
	r.tb.Cleanup(func() { _ = s.admin.Close() })
	var err error
	s.look, err = redisdriver.New(s.admin, nil)
	r.must(err)
	r.tb.Cleanup(func() { _ = s.look.Close() })
	s.log = redislog.Start(r.tb.Context(), s.server.Address(), s.server.Path("appendonlydir"), redisRoot)
	return s
}

func (s *redisStore) config(c *process.Config) {
	c.Store, c.Endpoints = "redis", []string{s.server.Address()}
}

func (s *redisStore) witness() watcher { return s.log }

func (s *redisStore) member(context.Context, int) (member, error) { return s.server, nil }

// onRedis is a command of an operator.
func onRedis(command ...any) func(*run, trouble) (func() error, error) {
	return func(r *run, _ trouble) (func() error, error) {
		ctx, stop := context.WithTimeout(r.tb.Context(), adminIn)
		defer stop()
		return nil, r.store.(*redisStore).admin.Do(ctx, command...).Err()
	}
}

// endSession sets the session's deadline into the past, as the driver's documentation says.
func (s *redisStore) endSession(ctx context.Context, n int) error {
	keys, err := s.admin.Keys(ctx, redisRoot+"session:*").Result()
	if err != nil || len(keys) == 0 {
		return err
	}
	session := strings.TrimPrefix(keys[n%len(keys)], redisRoot+"session:")
	s.log.Revoke(session) // before it can happen
	return s.admin.ZAddXX(ctx, redisRoot+"deadlines", redis.Z{Score: 1, Member: "s:" + session}).Err()
}

func (s *redisStore) healthy(ctx context.Context) error { return s.admin.Ping(ctx).Err() }

func (s *redisStore) left(ctx context.Context) ([]leftover, error) {
	return redisLeft(ctx, s.look, s.admin)
}

// redisLeft looks at a line first: Redis ends nothing by itself, whoever comes by does.
func redisLeft(ctx context.Context, look *redisdriver.Driver, admin *redis.Client) ([]leftover, error) {
	if _, err := look.Line(ctx, "nobody's"); err != nil {
		return nil, err
	}
	keys, err := admin.Keys(ctx, redisRoot+"*").Result()
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, key := range keys {
		if key != redisRoot+"counter" { // tokens grow for ever
			left = append(left, leftover{key, admin.Type(ctx, key).Val()})
		}
	}
	return left, nil
}
