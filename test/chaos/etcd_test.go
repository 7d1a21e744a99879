package chaos

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness/etcdlog"
	"github.com/holdgate/holdgate/test/etcdserver"
	"github.com/holdgate/holdgate/test/proxy"
)

// etcdPrefix is where the driver keeps everything by default.
const etcdPrefix = "/holdgate"

func etcdKind() *kind {
	return &kind{
		name: "etcd", start: startEtcd, members: 3, protocol: proxy.HTTP2, reaches: reachesAll(),
		faults: append(sharedFaults(),
			fault{"leader moved", onMember, nil, onEtcd((*etcdStore).moveLeader)},
			fault{"compacted and defragmented", onMember, nil, onEtcd((*etcdStore).compact)},
		),
	}
}

// etcdStore is a cluster of three members.
type etcdStore struct {
	cluster *etcdserver.Cluster
	admin   *clientv3.Client
	quiet   *zap.Logger
	log     *etcdlog.Witness
}

func startEtcd(r *run) store {
	s := &etcdStore{cluster: etcdserver.Start(r.tb, 3), quiet: zap.NewNop()}
	s.admin = etcdserver.Dial(r.tb, clientv3.Config{Endpoints: s.cluster.Endpoints(), Logger: s.quiet, DialTimeout: adminIn})
	var err error
	s.log, err = etcdlog.Start(r.tb.Context(), s.cluster.Endpoints(), etcdPrefix)
	r.must(err)
	return s
}

func (s *etcdStore) config(c *process.Config) { c.Store, c.Endpoints = "etcd", s.cluster.Endpoints() }

func (s *etcdStore) witness() watcher { return s.log }

func (s *etcdStore) member(ctx context.Context, n int) (member, error) { return s.one(ctx, n) }

func (s *etcdStore) one(ctx context.Context, n int) (*etcdserver.Member, error) {
	if n != leader {
		return s.cluster.Members[n], nil
	}
	for _, m := range s.cluster.Members {
		attempt, stop := context.WithTimeout(ctx, adminIn/4)
		status, err := s.admin.Status(attempt, m.Endpoint())
		stop()
		if err == nil && status.Leader == status.Header.MemberId {
			return m, nil
		}
	}
	return nil, errNoLeader
}

// onEtcd is a fault of this store that is over at once.
func onEtcd(do func(*etcdStore, context.Context, trouble) error) func(*run, trouble) (func() error, error) {
	return func(r *run, t trouble) (func() error, error) {
		ctx, stop := context.WithTimeout(r.tb.Context(), adminIn)
		defer stop()
		return nil, do(r.store.(*etcdStore), ctx, t)
	}
}

// moveLeader has another member lead.
func (s *etcdStore) moveLeader(ctx context.Context, t trouble) error {
	from, err := s.one(ctx, leader)
	if err != nil {
		return err
	}
	to, err := s.admin.Status(ctx, s.cluster.Members[t.on%3].Endpoint())
	if err != nil || to.Header.MemberId == to.Leader {
		return err
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{from.Endpoint()}, Logger: s.quiet})
	if err != nil {
		return err
	}
	defer client.Close()
	_, err = client.MoveLeader(ctx, to.Header.MemberId)
	return err
}

// compact drops the history that the witness has read, and gives the space back, for
// which a member stands still.
func (s *etcdStore) compact(ctx context.Context, t trouble) error {
	_, err := s.admin.Compact(ctx, s.log.Seen())
	_, err2 := s.admin.Defragment(ctx, s.cluster.Members[t.on%3].Endpoint())
	return errors.Join(err, err2)
}

// endSession revokes the lease.
func (s *etcdStore) endSession(ctx context.Context, n int) error {
	records := etcdPrefix + "/%sessions/"
	sessions, err := s.admin.Get(ctx, records, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil || len(sessions.Kvs) == 0 {
		return err
	}
	lease := strings.TrimPrefix(string(sessions.Kvs[n%len(sessions.Kvs)].Key), records)
	id, err := strconv.ParseInt(lease, 16, 64)
	if err != nil {
		return err
	}
	s.log.Revoke(lease) // before it can happen
	_, err = s.admin.Revoke(ctx, clientv3.LeaseID(id))
	return err
}

func (s *etcdStore) healthy(ctx context.Context) error {
	for _, m := range s.cluster.Members {
		client, err := clientv3.New(clientv3.Config{Endpoints: []string{m.Endpoint()}, Logger: s.quiet})
		if err != nil {
			return err
		}
		_, err = client.Get(ctx, etcdPrefix)
		_ = client.Close()
		if err != nil {
			return fmt.Errorf("member %s: %w", m.Endpoint(), err)
		}
	}
	return nil
}

func (s *etcdStore) left(ctx context.Context) ([]leftover, error) {
	keys, err := s.admin.Get(ctx, etcdPrefix, clientv3.WithPrefix())
	if err != nil {
		return nil, err
	}
	var left []leftover
	for _, kv := range keys.Kvs {
		left = append(left, leftover{string(kv.Key), string(kv.Value)})
	}
	return left, nil
}
