package recipes_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate/discovery"
	"github.com/holdgate/holdgate/membership"
)

// telling is what somebody who looks on is told, as it comes.
type telling struct {
	told chan string
	last string
}

// follow tells until the test ends.
func follow(t testing.TB, look func(ctx context.Context, tell func(string))) *telling {
	ctx, stop := context.WithCancel(t.Context())
	w := &telling{told: make(chan string, 1000)}
	done := make(chan struct{})
	go func() { // ends with ctx
		defer close(done)
		look(ctx, func(text string) { w.told <- text })
	}()
	t.Cleanup(func() { stop(); <-done })
	return w
}

// until waits until this is told; what is told before may have been merged, or not.
func (w *telling) until(t testing.TB, want string) {
	t.Helper()
	late := time.After(soon)
	for w.last != want {
		select {
		case w.last = <-w.told:
		case <-late:
			t.Fatalf("told %q; want %q", w.last, want)
		}
	}
}

// next waits for what is told next.
func (w *telling) next(t testing.TB, want string) {
	t.Helper()
	select {
	case w.last = <-w.told:
		if w.last != want {
			t.Fatalf("told %q; want %q", w.last, want)
		}
	case <-time.After(soon):
		t.Fatalf("not told %q", want)
	}
}

// members: they join, change, leave, die, and are started again.
func members(t *testing.T, open opener) {
	a, b, watcher, name := open.start(t), open.start(t), open.start(t), t.Name()
	join := func(p *process, id, data string) *membership.Membership {
		t.Helper()
		m, err := membership.Of(p.Client, name).Join(t.Context(), id, data)
		succeed(t, err)
		return m
	}
	group := membership.Of(watcher.Client, name)
	list := follow(t, func(ctx context.Context, tell func(string)) {
		for s, err := range group.Watch(ctx) {
			if err == nil && !s.Stale {
				tell(ids(s.Members))
			}
		}
	})
	events := follow(t, func(ctx context.Context, tell func(string)) {
		for e, err := range group.Events(ctx) {
			if err == nil {
				tell(string(e.Type) + " " + e.Member.ID)
			}
		}
	})
	list.until(t, "")
	one := join(a, "one", "old")
	list.until(t, "one=old")
	events.next(t, "joined one")
	two := join(b, "two", `{"port": 1}`)
	list.until(t, `one=old two={"port": 1}`)
	events.next(t, "joined two")
	succeed(t, one.Update(t.Context(), "new"))
	list.until(t, `one=new two={"port": 1}`)
	events.next(t, "changed one")

	succeed(t, two.Leave(t.Context()))
	now, err := group.Members(t.Context())
	succeed(t, err)
	if ids(now) != "one=new" {
		t.Errorf("members %q", ids(now))
	}
	if watcher.Features().KV {
		events.next(t, "left two")
	} else {
		events.next(t, "lost two")
	}

	a.kill()
	again := join(b, "one", "again") // before the store can know
	list.until(t, "one=again")
	events.next(t, "lost one")
	events.next(t, "joined one")
	outlives(t, watcher, name, again)
	succeed(t, again.Leave(t.Context()))
	list.until(t, "")
	inLine(t, watcher, name, 0)
}

// outlives waits until the old session of the member has ended, and checks that the member is still
// there.
func outlives(t testing.TB, p *process, name string, m *membership.Membership) {
	t.Helper()
	inLine(t, p, name, 1)
	now, err := membership.Of(p.Client, name).Members(t.Context())
	succeed(t, err)
	if len(now) != 1 || now[0].Incarnation != m.Incarnation() || !m.Present() {
		t.Errorf("when the old session had ended: %+v", now)
	}
}

func ids(members []membership.Member) string {
	var all []string
	for _, m := range members {
		all = append(all, m.ID+"="+m.Data)
	}
	return strings.Join(all, " ")
}

// services: two of one ID, of which the earlier one goes; an address that changes; a list of
// all.
func services(t *testing.T, open opener) {
	a, b, service := open.start(t), open.start(t), t.Name()
	register := func(p *process, id, addr string) *discovery.Registration {
		t.Helper()
		r, err := discovery.Register(t.Context(), p.Client, service, discovery.Instance{ID: id, Addr: addr, Weight: 2})
		succeed(t, err)
		return r
	}
	list := follow(t, func(ctx context.Context, tell func(string)) {
		for s, err := range discovery.Watch(ctx, b.Client, service) {
			if err == nil && !s.Stale {
				tell(addrs(s.Instances))
			}
		}
	})
	old := register(a, "1", "10.0.0.1:80")
	list.until(t, "10.0.0.1:80")
	r := register(b, "1", "10.0.0.2:80")
	list.until(t, "10.0.0.2:80")
	select {
	case <-old.Done():
		wantErr(t, old.Err(), discovery.ErrReplaced)
	case <-time.After(soon):
		t.Fatal("the earlier one was not told")
	}
	in := r.Instance()
	in.Addr = "10.0.0.3:80"
	succeed(t, r.Update(t.Context(), in))
	list.until(t, "10.0.0.3:80")
	all, err := discovery.Services(t.Context(), a.Client, service)
	succeed(t, err)
	if len(all) != 1 || all[0].Name != service || !slices.Equal(discovery.Addresses(all[0].Instances), []discovery.Address{{Addr: in.Addr, Weight: 2}}) {
		t.Errorf("services %+v", all)
	}
	succeed(t, r.Close(t.Context()))
	list.until(t, "")
	now, err := discovery.Lookup(t.Context(), a.Client, service)
	succeed(t, err)
	if len(now) != 0 {
		t.Errorf("left: %+v", now)
	}
}

func addrs(instances []discovery.Instance) string {
	var all []string
	for _, in := range instances {
		all = append(all, in.Addr)
	}
	return strings.Join(all, " ")
}
