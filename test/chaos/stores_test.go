package chaos

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness"
	"github.com/holdgate/holdgate/test/proxy"
)

// kind is one of the stores, and in what a run on it differs.
type kind struct {
	name string
	// start starts it for a run, and its witness.
	start func(r *run) store
	// members is how many servers there are. Of several one leads.
	members  int
	protocol proxy.Protocol
	// longer is how much longer its sessions live than those of the plan.
	longer time.Duration
	// tune makes a plan one for this store; nil changes nothing.
	tune func(p *plan)
	// faults are all that go wrong.
	faults []fault
	// reaches is what many runs have to reach besides the faults.
	reaches []string
	// judge is what the judges say of an outcome; nil asks for everything.
	judge func(o outcome) verdict
}

// kinds are all stores.
func kinds() []*kind { return []*kind{etcdKind(), zkKind(), redisKind(), failoverKind()} }

// choices is how many members a fault may happen to: each of them, and the leader.
func (k *kind) choices() int {
	if k.members > 1 {
		return k.members + 1
	}
	return 1
}

// store is the real store of a run.
type store interface {
	// config fills in how a process reaches it. The endpoints are those of the members;
	// processes reach them through proxies.
	config(c *process.Config)
	// member is the one of this number, or the leader.
	member(ctx context.Context, n int) (member, error)
	// endSession ends the session of somebody who does not know: one of those there are, by
	// this number.
	endSession(ctx context.Context, n int) error
	// healthy returns an error while a member does not serve.
	healthy(ctx context.Context) error
	// left is what clients have left in it: nothing, when all was given back.
	left(ctx context.Context) ([]leftover, error)
	witness() watcher
}

// leftover is something in the store, and what it says.
type leftover struct{ key, value string }

// member is a server of the store.
type member interface {
	Kill()
	Start() error
	Pause()
	Resume()
}

// watcher is the witness of a store.
type watcher interface {
	Revoke(session string)
	Stop(ctx context.Context, ttl time.Duration) ([]history.Event, error)
	Silences() []witness.Silence
}

// adminIn bounds what an operator asks of the store. It may be away just then: that is no
// fault of the test.
const adminIn = time.Second

var (
	errNoLeader = errors.New("no member says that it leads")
	errAway     = errors.New("a member is not back yet")
)

// comeback is a member that is being started again.
type comeback struct {
	over chan struct{}
	err  error // once it is over
}

// member is the one of this number, or the leader. Only one is away at a time.
func (r *run) member(n int) (member, error) {
	if r.back != nil {
		select {
		case <-r.back.over:
		default:
			return nil, errAway
		}
	}
	ctx, stop := context.WithTimeout(r.tb.Context(), 3*adminIn)
	defer stop()
	return r.store.member(ctx, n)
}

func (r *run) killMember(t trouble) (func() error, error) {
	m, err := r.member(t.on)
	if err != nil {
		return nil, err
	}
	m.Kill()
	return func() error { r.restart(m); return nil }, nil
}

// restart starts a member again. The storm goes on meanwhile.
func (r *run) restart(m member) {
	c := &comeback{over: make(chan struct{})}
	r.back = c
	go func() { // ends when the member serves, or the test ends it; healthy waits for it
		defer close(c.over)
		c.err = m.Start()
	}()
}

func (r *run) stopMember(t trouble) (func() error, error) {
	m, err := r.member(t.on)
	if err != nil {
		return nil, err
	}
	m.Pause()
	return quietly(m.Resume), nil
}

func (r *run) endSession(t trouble) (func() error, error) {
	ctx, stop := context.WithTimeout(r.tb.Context(), adminIn)
	defer stop()
	return nil, r.store.endSession(ctx, int(t.from))
}

func TestKinds(t *testing.T) {
	t.Parallel()
	for _, k := range kinds() {
		names := make(map[string]bool)
		for _, f := range k.faults {
			if names[f.name] {
				t.Errorf("%s: two faults are called %q", k.name, f.name)
			}
			names[f.name] = true
		}
	}
}
