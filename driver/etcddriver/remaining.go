package etcddriver

import (
	"context"
	"fmt"
	"strconv"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"

	"github.com/holdgate/holdgate/driver"
)

// Remaining returns how long etcd keeps a session that it hears no more of, in whole seconds: for
// people who look for the ones that are not renewed. It is no proof that the session lives. It
// answers driver.ErrGone when there is no such session.
func (d *Driver) Remaining(ctx context.Context, session string) (time.Duration, error) {
	lease, err := strconv.ParseUint(session, 16, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: a session is a lease in hexadecimal digits, not %q", driver.ErrInvalid, session)
	}
	answer, err := read(ctx, d, (*member).LeaseTimeToLive, &pb.LeaseTimeToLiveRequest{ID: int64(lease)})
	if err != nil {
		return 0, fmt.Errorf("remaining time of lease %s: %w", session, err)
	}
	if answer.TTL < 0 {
		return 0, fmt.Errorf("%w: lease %s", driver.ErrGone, session)
	}
	return time.Duration(answer.TTL) * time.Second, nil
}
