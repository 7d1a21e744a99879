package chaos

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
)

// adminIn bounds what an operator asks of the store. It may be away just then: that is no
// fault of the test.
const adminIn = time.Second

func (r *run) killMember(t trouble) (func() error, error) {
	m, err := r.member(t.on)
	if err != nil {
		return nil, err
	}
	m.Kill()
	return quietly(m.Restart), nil
}

func (r *run) stopMember(t trouble) (func() error, error) {
	m, err := r.member(t.on)
	if err != nil {
		return nil, err
	}
	m.Pause()
	return quietly(m.Resume), nil
}

// moveLeader has another member lead.
func (r *run) moveLeader(t trouble) (func() error, error) {
	from, err := r.member(leader)
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithTimeout(r.tb.Context(), adminIn)
	defer stop()
	to, err := r.admin.Status(ctx, r.cluster.Members[t.on%members].Endpoint())
	if err != nil || to.Header.MemberId == to.Leader {
		return nil, err
	}
	client, err := clientv3.New(clientv3.Config{Endpoints: []string{from.Endpoint()}, Logger: r.quiet})
	if err != nil {
		return nil, err
	}
	defer client.Close()
	_, err = client.MoveLeader(ctx, to.Header.MemberId)
	return nil, err
}

// compact drops the history that the witness has read, and gives the space back, for
// which a member stands still.
func (r *run) compact(t trouble) (func() error, error) {
	ctx, stop := context.WithTimeout(r.tb.Context(), adminIn)
	defer stop()
	_, err := r.admin.Compact(ctx, r.witness.Seen())
	_, err2 := r.admin.Defragment(ctx, r.cluster.Members[t.on%members].Endpoint())
	return nil, errors.Join(err, err2)
}

// revoke ends the session of somebody who does not know.
func (r *run) revoke(t trouble) (func() error, error) {
	ctx, stop := context.WithTimeout(r.tb.Context(), adminIn)
	defer stop()
	records := prefix + "/%sessions/"
	sessions, err := r.admin.Get(ctx, records, clientv3.WithPrefix(), clientv3.WithKeysOnly())
	if err != nil || len(sessions.Kvs) == 0 {
		return nil, err
	}
	lease := strings.TrimPrefix(string(sessions.Kvs[int(t.from)%len(sessions.Kvs)].Key), records)
	id, err := strconv.ParseInt(lease, 16, 64)
	if err != nil {
		return nil, err
	}
	r.witness.Revoke(lease) // before it can happen
	_, err = r.admin.Revoke(ctx, clientv3.LeaseID(id))
	return nil, err
}

var errNoLeader = errors.New("no member says that it leads")

// member is the one of this number, or the leader.
func (r *run) member(n int) (*etcdserver.Member, error) {
	if n < members {
		return r.cluster.Members[n], nil
	}
	for _, m := range r.cluster.Members {
		ctx, stop := context.WithTimeout(r.tb.Context(), adminIn/4)
		status, err := r.admin.Status(ctx, m.Endpoint())
		stop()
		if err == nil && status.Leader == status.Header.MemberId {
			return m, nil
		}
	}
	return nil, errNoLeader
}
