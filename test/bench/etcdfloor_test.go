package main

import (
	"context"
	"errors"
	"fmt"

	clientv3 "go.etcd.io/etcd/client/v3"
)

// leased is a client with a lease, from which the floors below are made: what etcd takes
// for the least that a lock can be.
type leased struct {
	etcd *clientv3.Client
	id   clientv3.LeaseID
}

func newLeased(ctx context.Context, s seat) (leased, error) {
	etcd, err := dialEtcd(s.Endpoint)
	if err != nil {
		return leased{}, err
	}
	lease, err := etcd.Grant(ctx, int64(etcdTTL.Seconds())) // it need not be renewed
	if err != nil {
		return leased{}, errors.Join(err, etcd.Close())
	}
	return leased{etcd, lease.ID}, nil
}

func (l leased) close() error { return l.etcd.Close() }

// raw is two transactions: one puts a key if it is not there and looks at the line, the
// other removes it. Nobody else may want the lock.
type raw struct{ leased }

func openRaw(ctx context.Context, s seat) (product, error) {
	l, err := newLeased(ctx, s)
	return raw{l}, err
}

func (r raw) locker(context.Context) (locker, error) { return r, nil }

func (r raw) key() string { return fmt.Sprintf("/raw/%x", r.id) }

func (r raw) lock(ctx context.Context) error {
	return succeeded(r.etcd.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(r.key()), "=", 0)).
		Then(clientv3.OpPut(r.key(), "", clientv3.WithLease(r.id)), clientv3.OpGet("/raw/", clientv3.WithPrefix())).
		Commit())
}

func (r raw) unlock(ctx context.Context) error {
	return succeeded(r.etcd.Txn(ctx).
		If(clientv3.Compare(clientv3.CreateRevision(r.key()), "!=", 0)).
		Then(clientv3.OpDelete(r.key())).
		Commit())
}

func succeeded(answer *clientv3.TxnResponse, err error) error {
	if err == nil && !answer.Succeeded {
		return errors.New("the transaction did not succeed")
	}
	return err
}

// ring passes a lock on from process to process in a fixed order, and each gets in line
// again after its turn, by a write. It is the floor of a strict hand-over: one commit
// that removes a key, of which a watch that stands tells the next. It knows nothing of
// processes that come, go, or die.
type ring struct {
	leased
	own   string
	turns chan struct{} // has one for each time that it is this process's turn
}

func openRing(ctx context.Context, s seat) (product, error) {
	l, err := newLeased(ctx, s)
	if err != nil {
		return nil, err
	}
	key := func(index int) string { return fmt.Sprintf("/ring/%d", (index+s.Of)%s.Of) }
	r := &ring{leased: l, own: key(s.Index), turns: make(chan struct{}, 1)}
	news := l.etcd.Watch(ctx, key(s.Index-1), clientv3.WithFilterPut(), clientv3.WithCreatedNotify())
	if first := <-news; !first.Created {
		return nil, errors.Join(errors.New("the ring's watch did not begin"), first.Err(), l.close())
	}
	go r.listen(news) // ends with the client
	if s.Index == 0 {
		r.turns <- struct{}{} // it begins
	}
	return r, nil
}

func (r *ring) listen(news clientv3.WatchChan) {
	for n := range news {
		for range n.Events {
			r.turns <- struct{}{}
		}
	}
}

func (r *ring) locker(context.Context) (locker, error) { return r, nil }

func (r *ring) lock(ctx context.Context) error {
	if _, err := r.etcd.Put(ctx, r.own, "", clientv3.WithLease(r.id)); err != nil {
		return err
	}
	select {
	case <-r.turns:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *ring) unlock(ctx context.Context) error {
	_, err := r.etcd.Delete(ctx, r.own)
	return err
}
