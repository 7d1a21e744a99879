package etcddriver

import (
	"context"
	"fmt"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
	"go.etcd.io/etcd/api/v3/mvccpb"

	"github.com/holdgate/holdgate/driver"
)

// Get returns an entry. Its version is the key's revision, which grows over all keys.
func (d *Driver) Get(ctx context.Context, key string) (driver.Entry, error) {
	if err := d.mayUse(ctx, key); err != nil {
		return driver.Entry{}, err
	}
	answer, err := read(ctx, d, (*member).Range, rangeOf(one(d.layout.entry(key))))
	switch {
	case err != nil:
		return driver.Entry{}, fmt.Errorf("get %q: %w", key, err)
	case len(answer.Kvs) == 0:
		return driver.Entry{}, fmt.Errorf("%w: no key %q", driver.ErrGone, key)
	}
	return entry(key, answer.Kvs[0]), nil
}

func (d *Driver) mayUse(ctx context.Context, key string) error {
	if err := d.usable(ctx); err != nil {
		return err
	}
	return driver.CheckName(key)
}

func entry(key string, kv *mvccpb.KeyValue) driver.Entry {
	return driver.Entry{Key: key, Value: kv.Value, Version: uint64(kv.ModRevision)}
}

// Put writes a value. One with a TTL has a lease of its own.
func (d *Driver) Put(ctx context.Context, p driver.Put) (driver.Entry, error) {
	if err := d.mayUse(ctx, p.Key); err != nil {
		return driver.Entry{}, err
	}
	switch {
	case len(p.Value) > driver.MaxValue:
		return driver.Entry{}, fmt.Errorf("%w: a value has at most %d bytes, this one has %d",
			driver.ErrTooLarge, driver.MaxValue, len(p.Value))
	case p.TTL < 0 || p.TTL > maxTTL:
		return driver.Entry{}, fmt.Errorf("%w: the TTL of a key is 0 to %v, not %v", driver.ErrInvalid, maxTTL, p.TTL)
	}
	lease, err := d.leaseFor(ctx, p)
	if err != nil {
		return driver.Entry{}, fmt.Errorf("put %q: %w", p.Key, err)
	}
	e, err := d.putEntry(ctx, p, lease)
	if err != nil && lease != 0 {
		d.task(func() { d.revoke(lease) }) //nolint:contextcheck // nobody waits; ends with its request
	}
	return e, err
}

// leaseFor grants the lease of a value that is to go by itself, else 0.
func (d *Driver) leaseFor(ctx context.Context, p driver.Put) (int64, error) {
	if p.TTL == 0 {
		return 0, nil
	}
	granted, err := write(ctx, d, (*member).LeaseGrant, &pb.LeaseGrantRequest{TTL: wholeSeconds(p.TTL)})
	if err != nil {
		return 0, err
	}
	return granted.ID, nil
}

func (d *Driver) putEntry(ctx context.Context, p driver.Put, lease int64) (driver.Entry, error) {
	key := d.layout.entry(p.Key)
	t := &pb.TxnRequest{Success: requests(put(key, p.Value, lease))}
	if p.IfVersion != nil {
		t.Compare = compares(unchanged(key, int64(*p.IfVersion))) // a key that is not there has 0
	}
	answer, err := write(ctx, d, (*member).Txn, t)
	switch {
	case err != nil:
		return driver.Entry{}, fmt.Errorf("put %q: %w", p.Key, err)
	case !answer.Succeeded:
		return driver.Entry{}, fmt.Errorf("%w: key %q is not at version %d", driver.ErrConflict, p.Key, *p.IfVersion)
	}
	return driver.Entry{
		Key: p.Key, Value: append([]byte(nil), p.Value...), Version: uint64(answer.Header.Revision),
	}, nil
}

// revoke gives a lease back that turned out not to be needed. If that fails it expires.
func (d *Driver) revoke(lease int64) {
	ctx, cancel := context.WithTimeout(d.ctx, loadIn)
	defer cancel()
	_, _ = write(ctx, d, (*member).LeaseRevoke, &pb.LeaseRevokeRequest{ID: lease})
}

// Delete removes a key.
func (d *Driver) Delete(ctx context.Context, key string, ifVersion uint64) error {
	if err := d.mayUse(ctx, key); err != nil {
		return err
	}
	at := d.layout.entry(key)
	t := &pb.TxnRequest{Success: requests(del(one(at))), Failure: requests(get(one(at)))}
	if ifVersion != 0 {
		t.Compare = compares(unchanged(at, int64(ifVersion)))
	}
	answer, err := write(ctx, d, (*member).Txn, t)
	switch {
	case err != nil:
		return fmt.Errorf("delete %q: %w", key, err)
	case answer.Succeeded && answer.Responses[0].GetResponseDeleteRange().GetDeleted() > 0:
		return nil
	case !answer.Succeeded && len(keysIn(answer, 0)) > 0:
		return fmt.Errorf("%w: key %q is not at version %d", driver.ErrConflict, key, ifVersion)
	}
	return fmt.Errorf("%w: no key %q", driver.ErrGone, key)
}
