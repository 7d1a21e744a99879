package etcddriver

import (
	"context"
	"errors"
	"time"

	pb "go.etcd.io/etcd/api/v3/etcdserverpb"
)

// Why what is under way at a member is not awaited any more.
var (
	errSilent    = errors.New("the member is silent")
	errNewLeader = errors.New("a new leader was elected")
)

// request is one that was sent to a member.
type request struct {
	m    *member
	sent time.Duration
}

// ask begins a request to a member.
func (d *Driver) ask(m *member) request {
	r := request{m, d.now()}
	m.asked(r.sent)
	return r
}

// attend looks after a request that takes long, and ends it by end when no answer is to be
// expected any more. The function that it returns ends the care.
func (d *Driver) attend(ctx context.Context, m *member, end context.CancelCauseFunc) (done func() bool) {
	return time.AfterFunc(pingAfter, func() {
		d.task(func() { // ends with the request
			if cause := d.despair(ctx, m); cause != nil {
				end(cause)
			}
		})
	}).Stop
}

// despair asks a member for a word now and then, until the request is over. It returns why
// the request will not be answered: the member is silent, or a new leader was elected
// meanwhile, and what was passed on to the old one is lost.
func (d *Driver) despair(ctx context.Context, m *member) error {
	for term := uint64(0); ctx.Err() == nil; sleep(ctx, pingAfter) {
		now, err := d.ping(ctx, m)
		switch {
		case err != nil:
			return err
		case term != 0 && now > term:
			return errNewLeader
		}
		term = max(term, now)
	}
	return nil
}

// ping asks a member for its term, 0 when it does not tell. One that is silent is given up.
func (d *Driver) ping(ctx context.Context, m *member) (term uint64, err error) {
	if m.gone.Load() {
		return 0, errSilent
	}
	ctx, cancel := context.WithTimeoutCause(ctx, silentFor-pingAfter, errSilent)
	defer cancel()
	m.asked(d.now())
	status, err := m.Status(ctx, &pb.StatusRequest{})
	switch {
	case err == nil:
		m.spoke()
		return status.RaftTerm, nil
	case oneOf(context.Cause(ctx), errSilent) && m.silent(d.now()):
		d.members.giveUp(m, d.now())
		return 0, errSilent
	}
	return 0, nil
}

func sleep(ctx context.Context, d time.Duration) {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// shortWait is how long a caller must have waited before that says anything about the
// member.
const shortWait = 100 * time.Millisecond

// impatient judges a member whose answer was not awaited any more: callers with short
// patience must not meet the same member that hangs again and again.
func (d *Driver) impatient(r request) {
	now := d.now()
	switch waited := now - r.sent; {
	case r.m.silent(now):
		d.members.giveUp(r.m, now)
	case waited >= pingAfter, waited >= shortWait && r.m.silentSince(r.sent):
		d.members.leave(r.m, now)
	}
}
