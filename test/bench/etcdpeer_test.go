package main

import (
	"context"
	"sync"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.etcd.io/etcd/client/v3/concurrency"
)

// concurrencyPeer locks with etcd's own package concurrency. Two goroutines of one of its
// sessions do not exclude each other: each has a session.
type concurrencyPeer struct {
	etcd  *clientv3.Client
	owned int
}

func openPeer(_ context.Context, s seat) (product, error) {
	etcd, err := dialEtcd(s.Endpoint)
	return &concurrencyPeer{etcd: etcd}, err
}

func (p *concurrencyPeer) locker(context.Context) (locker, error) {
	return p.withSession("/concurrency")
}

func (p *concurrencyPeer) own(context.Context) (locker, error) {
	p.owned++
	return p.withSession("/concurrency/" + ownName(p.owned))
}

func (p *concurrencyPeer) withSession(name string) (locker, error) {
	session, err := concurrency.NewSession(p.etcd, concurrency.WithTTL(int(etcdTTL.Seconds())))
	if err != nil {
		return nil, err
	}
	return concurrencyLocker{concurrency.NewMutex(session, name)}, nil
}

// close ends the sessions too: the server would let them expire.
func (p *concurrencyPeer) close() error { return p.etcd.Close() }

type concurrencyLocker struct{ mutex *concurrency.Mutex }

func (l concurrencyLocker) lock(ctx context.Context) error   { return l.mutex.Lock(ctx) }
func (l concurrencyLocker) unlock(ctx context.Context) error { return l.mutex.Unlock(ctx) }

// frontedPeer is how one session of package concurrency serves many goroutines: they take
// a mutex of their process first.
type frontedPeer struct {
	concurrencyPeer
	session *concurrency.Session
	front   sync.Mutex
}

func openFrontedPeer(_ context.Context, s seat) (product, error) {
	etcd, err := dialEtcd(s.Endpoint)
	if err != nil {
		return nil, err
	}
	session, err := concurrency.NewSession(etcd, concurrency.WithTTL(int(etcdTTL.Seconds())))
	return &frontedPeer{concurrencyPeer: concurrencyPeer{etcd: etcd}, session: session}, err
}

func (p *frontedPeer) locker(context.Context) (locker, error) {
	return frontedLocker{&p.front, concurrencyLocker{concurrency.NewMutex(p.session, "/fronted")}}, nil
}

// own needs no mutex of the process: nobody else wants the lock. This is how the package is
// used where one process takes many locks.
func (p *frontedPeer) own(context.Context) (locker, error) {
	p.owned++
	return concurrencyLocker{concurrency.NewMutex(p.session, "/fronted/"+ownName(p.owned))}, nil
}

type frontedLocker struct {
	front *sync.Mutex
	concurrencyLocker
}

func (l frontedLocker) lock(ctx context.Context) error {
	l.front.Lock()
	err := l.concurrencyLocker.lock(ctx)
	if err != nil {
		l.front.Unlock()
	}
	return err
}

func (l frontedLocker) unlock(ctx context.Context) error {
	defer l.front.Unlock()
	return l.concurrencyLocker.unlock(ctx)
}
