package membership_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/membership"
)

// What follows from the default TTL.
const (
	ttl        = holdgate.DefaultTTL
	renewEvery = ttl / 4
	// healing bounds how long a member that reaches the store may be missing.
	healing = ttl/4 + 2*time.Second
)

// inBubble runs a test on a clock of its own. A goroutine that is left over fails it.
func inBubble(t *testing.T, f func(t *testing.T)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, f)
}

// pass lets time pass, and everybody do what is due by then.
func pass(d time.Duration) {
	time.Sleep(d)
	synctest.Wait()
}

// faults lets calls of one operation go wrong.
type faults struct {
	mu    sync.Mutex
	op    memdriver.Op
	times int // negative: always
	fault memdriver.Fault
}

func (f *faults) inject(c memdriver.Call) memdriver.Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c.Op != f.op || f.times == 0 {
		return memdriver.Fault{}
	}
	f.times--
	return f.fault
}

// next lets the next calls of an operation go wrong.
func (f *faults) next(op memdriver.Op, times int, fault memdriver.Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.op, f.times, f.fault = op, times, fault
}

// proc is a process with a client.
type proc struct {
	*holdgate.Client
	drv    *memdriver.Driver
	faults *faults
	group  membership.Group
}

// start starts a process that ends in good order with the test.
func start(t *testing.T, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{faults: &faults{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject})
	var err error
	if p.Client, err = holdgate.New(p.drv, &holdgate.Options{Owner: "host"}); err != nil {
		t.Fatal(err)
	}
	p.group = membership.Of(p.Client, "workers")
	t.Cleanup(func() {
		p.faults.next("", 0, memdriver.Fault{})
		p.drv.SetLink(memdriver.LinkUp)
		_ = p.Close(context.Background()) // who was killed cannot
		_ = p.drv.Close()
	})
	return p
}

// kill ends the process as kill -9 does, as far as the store can tell.
func (p *proc) kill() { _ = p.drv.Close() }

// session is the store's ID of the session that the process lives by: that of its only
// member.
func (p *proc) session(t *testing.T, id string) string {
	t.Helper()
	line, err := p.Line(t.Context(), "workers")
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range membership.In(line) {
		if m.ID == id {
			for _, place := range line.Places {
				if place.ID == m.PlaceID {
					return place.Session
				}
			}
		}
	}
	t.Fatalf("%q is no member", id)
	return ""
}

func (p *proc) join(t *testing.T, id, data string) *membership.Membership {
	t.Helper()
	m, err := p.group.Join(t.Context(), id, data)
	if err != nil {
		t.Fatalf("join as %q: %v", id, err)
	}
	t.Cleanup(func() { _ = m.Leave(context.Background()) }) // before the client is closed
	return m
}

// want checks who is there: "id=data", by ID.
func (p *proc) want(t *testing.T, want ...string) {
	t.Helper()
	members, err := p.group.Members(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(members); !slices.Equal(got, want) {
		t.Errorf("members %q; want %q", got, want)
	}
}

func describe(members []membership.Member) []string {
	var all []string
	for _, m := range members {
		all = append(all, m.ID+"="+m.Data)
	}
	return all
}

// seen keeps what a watch or the events have told.
type seen struct {
	mu   sync.Mutex
	told []string
	err  error
}

// look follows something until the test ends.
func look(t *testing.T, follow func(ctx context.Context, told func(string, error))) (*seen, context.CancelFunc) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &seen{}
	done := make(chan struct{})
	go func() { // ends with the test
		defer close(done)
		follow(ctx, s.add)
	}()
	t.Cleanup(func() { cancel(); <-done })
	return s, cancel
}

// watch keeps what a watch shows: "revision: members".
func (p *proc) watch(t *testing.T) (*seen, context.CancelFunc) {
	t.Helper()
	return look(t, func(ctx context.Context, told func(string, error)) {
		for s, err := range p.group.Watch(ctx) {
			text := fmt.Sprintf("%d: %s", s.Revision, strings.Join(describe(s.Members), " "))
			if s.Stale {
				text += " (stale)"
			}
			told(text, err)
		}
	})
}

// events keeps what happens: "type id".
func (p *proc) events(t *testing.T) (*seen, context.CancelFunc) {
	t.Helper()
	return look(t, func(ctx context.Context, told func(string, error)) {
		for e, err := range p.group.Events(ctx) {
			told(string(e.Type)+" "+e.Member.ID, err)
		}
	})
}

func (s *seen) add(text string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.err = err
		return
	}
	s.told = append(s.told, text)
}

// want compares with what was told since the last time.
func (s *seen) want(t *testing.T, told ...string) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.Equal(s.told, told) {
		t.Errorf("told %q; want %q", s.told, told)
	}
	s.told = nil
}

func (s *seen) ended(t *testing.T, kind error) {
	t.Helper()
	synctest.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	wantErr(t, s.err, kind)
}

func wantErr(t *testing.T, err error, kinds ...error) {
	t.Helper()
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			t.Errorf("got error %v, want %v", err, kind)
		}
	}
}

func succeed(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// outages are the ways in which a store can be away.
func outages() map[string]memdriver.Link {
	return map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs}
}
