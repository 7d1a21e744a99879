package chaos

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	"go.uber.org/zap"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// prefix is where the driver keeps everything by default.
const prefix = "/holdgate"

// run carries out a plan.
//
//	storm   faults; workers lock and release
//	calm    all is well again: every worker locks every name once more, and has to get
//	        it, then the clients are closed; nothing may be left
type run struct {
	tb       testing.TB
	plan     plan
	client   string // the program of a client process
	dir      string
	cluster  *etcdserver.Cluster
	admin    *clientv3.Client
	quiet    *zap.Logger
	witness  *witness.Witness
	register *process.Register
	log      history.Log // of what is done to the processes, and of the register
	slots    []*slot
	counts   map[string]int // of faults, and of those that did not come about
}

// outcome is what a run leaves.
type outcome struct {
	plan    plan
	events  []history.Event
	counts  map[string]int
	output  map[string]string // of processes that said something
	objects []history.Violation
	// silences are when the store answered nobody.
	silences []witness.Silence
}

// carryOut runs a plan with a program for the client processes.
func carryOut(tb testing.TB, p plan, client string) outcome {
	tb.Helper()
	r := &run{tb: tb, plan: p, client: client, dir: shortDir(tb), quiet: zap.NewNop(), counts: make(map[string]int)}
	r.begin()
	r.rage()
	r.calm()
	return r.judge()
}

// shortDir is a directory for a run. The name of a test would make the path of a socket in
// it too long.
func shortDir(tb testing.TB) string {
	tb.Helper()
	dir, err := os.MkdirTemp("", "chaos")
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

// file is a path in the run's own directory.
func (r *run) file(name string) string { return filepath.Join(r.dir, name) }

// must ends the test when the harness itself does not work.
func (r *run) must(err error) {
	r.tb.Helper()
	if err != nil {
		r.tb.Fatal(err)
	}
}

func (r *run) begin() {
	r.cluster = etcdserver.Start(r.tb, members)
	r.admin = etcdserver.Dial(r.tb, clientv3.Config{Endpoints: r.cluster.Endpoints(), Logger: r.quiet, DialTimeout: adminIn})
	var err error
	r.witness, err = witness.Start(r.tb.Context(), r.cluster.Endpoints(), prefix)
	r.must(err)
	r.register, err = process.NewRegister(r.file("register"), &r.log)
	r.must(err)
	for i := range r.plan.processes {
		s, err := newSlot(r, i)
		r.must(err)
		r.slots = append(r.slots, s)
		r.must(s.start())
	}
}

// rage is the storm. What one does, and when, is the plan's; when it is done is not.
func (r *run) rage() {
	begun := time.Now()
	type ending struct {
		at  time.Duration
		end func() error
	}
	var open []ending
	until := func(at time.Duration) { // ends what is over by then
		for len(open) > 0 && open[0].at <= at {
			r.sleep(time.Until(begun.Add(open[0].at)))
			r.must(open[0].end())
			open = open[1:]
		}
		r.sleep(time.Until(begun.Add(at)))
	}
	for _, t := range r.plan.trouble {
		until(t.from)
		end, err := t.fault.begin(r, t)
		r.counts[t.fault.name]++
		if err != nil {
			// The store is away, mostly, so that an operator can do nothing.
			r.counts[t.fault.name+", in vain"]++
		}
		if end != nil {
			open = append(open, ending{t.to, end})
			slices.SortStableFunc(open, func(a, b ending) int { return cmp.Compare(a.at, b.at) })
		}
	}
	until(r.plan.storm)
}

func (r *run) sleep(d time.Duration) {
	select {
	case <-time.After(d):
	case <-r.tb.Context().Done():
		r.tb.Fatal("the test is over")
	}
}

// calm waits until all is well, and then until everybody has finished.
func (r *run) calm() {
	r.healthy()
	r.log.Add(history.Event{At: process.Now(), Kind: history.Calm, Until: r.plan.patience})
	for _, s := range r.slots {
		_ = s.now().finish() // one that has died by itself is judged in the end
	}
	// Each worker may wait once for a call from the storm, and once for each name.
	patience, stop := context.WithTimeout(r.tb.Context(), 2*r.plan.patience)
	defer stop()
	for _, s := range r.slots {
		s.now().await(patience)
	}
	r.must(r.register.Close())
	r.left()
}

// healthy waits until every member answers.
func (r *run) healthy() {
	ctx, stop := context.WithTimeoutCause(r.tb.Context(), time.Minute, errors.New("the cluster does not recover"))
	defer stop()
	for _, m := range r.cluster.Members {
		client := etcdserver.Dial(r.tb, clientv3.Config{Endpoints: []string{m.Endpoint()}})
		for {
			attempt, done := context.WithTimeout(ctx, adminIn)
			_, err := client.Get(attempt, prefix)
			done()
			if err == nil {
				break
			}
			if ctx.Err() != nil {
				r.must(fmt.Errorf("%w: %w", context.Cause(ctx), err))
			}
			r.sleep(50 * time.Millisecond)
		}
	}
}

// left notes what is in the store when all was given back, and what the dead left had to
// expire.
func (r *run) left() {
	for end := time.Now().Add(r.plan.ttl + 5*time.Second); ; r.sleep(100 * time.Millisecond) {
		keys, err := r.admin.Get(r.tb.Context(), prefix, clientv3.WithPrefix())
		r.must(err)
		if len(keys.Kvs) == 0 {
			return
		}
		if time.Now().After(end) {
			for _, kv := range keys.Kvs {
				r.log.Add(history.Event{
					At: process.Now(), Kind: history.Left, Name: string(kv.Key), Place: string(kv.Value), Why: "all clients are closed or dead",
				})
			}
			return
		}
	}
}
