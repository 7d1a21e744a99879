package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-zookeeper/zk"
)

// zkRaw is two writes: one makes an ephemeral sequential node, and the other removes it.
// It looks at nothing: nobody else may want the lock.
type zkRaw struct {
	conn *zk.Conn
	node string
}

const zkRawLine = "/raw"

func openZKRaw(_ context.Context, s seat) (product, error) {
	conn, err := dialZK(s)
	if err != nil {
		return nil, err
	}
	return &zkRaw{conn: conn}, makeZKNode(conn, zkRawLine)
}

// makeZKNode makes a node, if it is not there.
func makeZKNode(conn *zk.Conn, path string) error {
	_, err := conn.Create(path, nil, zk.FlagPersistent, zkWorld())
	if errors.Is(err, zk.ErrNodeExists) {
		return nil
	}
	return err
}

func (r *zkRaw) locker(context.Context) (locker, error) { return r, nil }

func (r *zkRaw) lock(context.Context) (err error) {
	r.node, err = r.conn.Create(zkRawLine+"/lock-", nil, zk.FlagEphemeralSequential, zkWorld())
	return err
}

func (r *zkRaw) unlock(context.Context) error { return r.conn.Delete(r.node, -1) }

func (r *zkRaw) close() error { r.conn.Close(); return nil }

// zkRing passes a lock on from process to process in a fixed order: each writes to the
// node that the next one watches, and before its turn to one that nobody watches, as it
// gets in line again. It is the floor of a strict hand-over: two writes, of which one is
// told to one process, that reads once to watch again. It knows nothing of processes that
// come, go, or die.
type zkRing struct {
	conn             *zk.Conn
	entry, own, next string
	turns            chan struct{} // has one for each time that it is this process's turn
}

func openZKRing(_ context.Context, s seat) (product, error) {
	conn, err := dialZK(s)
	if err != nil {
		return nil, err
	}
	baton := func(index int) string { return fmt.Sprintf("/ring/%d", index%s.Of) }
	r := &zkRing{
		conn: conn, entry: baton(s.Index) + "-in", own: baton(s.Index), next: baton(s.Index + 1),
		turns: make(chan struct{}, 1),
	}
	for _, path := range []string{"/ring", r.entry, r.own, r.next} {
		if err := makeZKNode(conn, path); err != nil {
			return nil, err
		}
	}
	_, stat, changed, err := conn.GetW(r.own)
	if err != nil {
		return nil, err
	}
	go r.listen(stat.Version, changed) // ends with the connection
	if s.Index == 0 {
		r.turns <- struct{}{} // it begins
	}
	return r, nil
}

// listen passes on that it is this process's turn, and watches again. What was written in
// between is told by the version.
func (r *zkRing) listen(version int32, changed <-chan zk.Event) {
	for {
		if e := <-changed; e.Err != nil {
			return
		}
		r.turns <- struct{}{}
		_, stat, again, err := r.conn.GetW(r.own)
		if err != nil {
			return
		}
		for version++; version < stat.Version; version++ {
			r.turns <- struct{}{}
		}
		changed = again
	}
}

func (r *zkRing) locker(context.Context) (locker, error) { return r, nil }

func (r *zkRing) lock(ctx context.Context) error {
	if _, err := r.conn.Set(r.entry, nil, -1); err != nil {
		return err
	}
	select {
	case <-r.turns:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *zkRing) unlock(context.Context) error {
	_, err := r.conn.Set(r.next, nil, -1)
	return err
}

func (r *zkRing) close() error { r.conn.Close(); return nil }
