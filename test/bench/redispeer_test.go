package main

import (
	"cmp"
	"context"
	"errors"
	"math"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	redsyncredis "github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// peerTTL is that of all locks and sessions, so long that no renewals are among what is
// measured.
const peerTTL = 10 * time.Minute

// tuning is how a peer is set up other than it is by default.
type tuning struct {
	// retry is how long it waits between two looks at a lock that is taken; 0 is its default.
	retry time.Duration
	// pipelined has it send as one what its goroutines ask for at the same time.
	pipelined bool
}

// goRedis is a client as two of the peers use it.
type goRedis struct {
	redis.UniversalClient
	end func() error
}

func dialGoRedis(s seat, t tuning) (goRedis, error) {
	client := redis.NewClient(&redis.Options{Addr: s.Endpoint})
	if !t.pipelined {
		return goRedis{client, client.Close}, nil
	}
	pipelined, err := client.AutoPipeline()
	if err != nil {
		return goRedis{}, errors.Join(err, client.Close())
	}
	return goRedis{pipelined, client.Close}, nil
}

func (c goRedis) close() error { return c.end() }

// redislockPeer locks with bsm/redislock.
type redislockPeer struct {
	goRedis
	locks *redislock.Client
	retry time.Duration
	owned int
}

func openRedislock(t tuning) open {
	return func(_ context.Context, s seat) (product, error) {
		client, err := dialGoRedis(s, t)
		// It does not wait by default. This is what its documentation shows.
		retry := cmp.Or(t.retry, 100*time.Millisecond)
		return &redislockPeer{goRedis: client, locks: redislock.New(client), retry: retry}, err
	}
}

func (p *redislockPeer) locker(context.Context) (locker, error) {
	return &redislockLocker{peer: p, key: "redislock:bench"}, nil
}

func (p *redislockPeer) own(context.Context) (locker, error) {
	p.owned++
	return &redislockLocker{peer: p, key: "redislock:" + ownName(p.owned)}, nil
}

type redislockLocker struct {
	peer *redislockPeer
	key  string
	held *redislock.Lock
}

func (l *redislockLocker) lock(ctx context.Context) (err error) {
	l.held, err = l.peer.locks.Obtain(ctx, l.key, peerTTL, &redislock.Options{RetryStrategy: redislock.LinearBackoff(l.peer.retry)})
	return err
}

func (l *redislockLocker) unlock(ctx context.Context) error { return l.held.Release(ctx) }

// redsyncPeer locks with redsync on one server.
type redsyncPeer struct {
	goRedis
	locks   *redsync.Redsync
	options []redsync.Option
	owned   int
}

func openRedsync(t tuning) open {
	return func(_ context.Context, s seat) (product, error) {
		client, err := dialGoRedis(s, t)
		// By default it gives up after 32 looks.
		options := []redsync.Option{redsync.WithExpiry(peerTTL), redsync.WithTries(math.MaxInt)}
		if t.retry > 0 {
			options = append(options, redsync.WithRetryDelay(t.retry))
		}
		return &redsyncPeer{goRedis: client, locks: redsync.New(redsyncredis.NewPool(client)), options: options}, err
	}
}

func (p *redsyncPeer) locker(context.Context) (locker, error) {
	return redsyncLocker{p.locks.NewMutex("redsync:bench", p.options...)}, nil
}

func (p *redsyncPeer) own(context.Context) (locker, error) {
	p.owned++
	return redsyncLocker{p.locks.NewMutex("redsync:"+ownName(p.owned), p.options...)}, nil
}

type redsyncLocker struct{ mutex *redsync.Mutex }

func (l redsyncLocker) lock(ctx context.Context) error { return l.mutex.LockContext(ctx) }

func (l redsyncLocker) unlock(ctx context.Context) error {
	_, err := l.mutex.UnlockContext(ctx)
	return err
}

// rueidisPeer locks with rueidislock on one server. It needs no tuning to wait: it is told.
type rueidisPeer struct {
	rueidislock.Locker
	owned int
}

// openRueidislock opens one with a key for each lock. By default it has three, for three
// servers; and it is told of its own keys, too, unless that is turned off.
func openRueidislock(majority int32, untoldOfItself bool) open {
	return func(_ context.Context, s seat) (product, error) {
		locks, err := rueidislock.NewLocker(rueidislock.LockerOption{
			ClientOption: rueidis.ClientOption{InitAddress: []string{s.Endpoint}},
			KeyMajority:  majority, NoLoopTracking: untoldOfItself,
		})
		return &rueidisPeer{Locker: locks}, err
	}
}

func (p *rueidisPeer) locker(context.Context) (locker, error) {
	return &rueidisLocker{peer: p, key: "bench"}, nil
}

func (p *rueidisPeer) own(context.Context) (locker, error) {
	p.owned++
	return &rueidisLocker{peer: p, key: ownName(p.owned)}, nil
}

func (p *rueidisPeer) close() error {
	p.Close()
	return nil
}

type rueidisLocker struct {
	peer    *rueidisPeer
	key     string
	release context.CancelFunc
}

// stalled is when a wait is given up and begun anew. After an attempt that took longer than
// 20 ms, as happens on a busy machine, it may wait for a word that does not come.
const stalled = time.Second

func (l *rueidisLocker) lock(ctx context.Context) error {
	for {
		life, end := context.WithCancel(ctx) // that of the lock, too
		limit := time.AfterFunc(stalled, end)
		_, release, err := l.peer.WithContext(life, l.key)
		limit.Stop()
		if err == nil {
			l.release = release
			return nil
		}
		end()
		if ctx.Err() != nil || life.Err() == nil {
			return err
		}
	}
}

func (l *rueidisLocker) unlock(context.Context) error {
	l.release()
	return nil
}

// scripts is two scripts that do nothing: what Redis takes for the least that a lock of two
// steps can be, by the same client.
type scripts struct {
	goRedis
	nothing *redis.Script
}

func openScripts(ctx context.Context, s seat) (product, error) {
	client, err := dialGoRedis(s, tuning{})
	if err != nil {
		return nil, err
	}
	nothing := redis.NewScript("return {'ok'}")
	if err := nothing.Load(ctx, client).Err(); err != nil {
		return nil, errors.Join(err, client.close())
	}
	return &scripts{client, nothing}, nil
}

func (s *scripts) locker(context.Context) (locker, error) { return s, nil }

func (s *scripts) lock(ctx context.Context) error {
	return s.nothing.EvalSha(ctx, s, []string{"nothing"}).Err()
}

func (s *scripts) unlock(ctx context.Context) error { return s.lock(ctx) }
