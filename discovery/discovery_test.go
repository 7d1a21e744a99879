package discovery_test

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
	"github.com/holdgate/holdgate/driver/memdriver"
)

func TestRegister(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		b.want(t)
		meta := map[string]string{"zone": "a"}
		r := a.register(t, discovery.Instance{ID: "1", Addr: "10.0.0.1:80", Metadata: meta})
		meta["zone"] = "changed by the caller"
		a.register(t, discovery.Instance{ID: "2", Addr: "[::1]:80", Weight: 5})
		instances, err := discovery.Lookup(t.Context(), b.Client, "web")
		succeed(t, err)
		if len(instances) != 2 || !maps.Equal(instances[0].Metadata, map[string]string{"zone": "a"}) ||
			instances[0].Weight != 1 || instances[1].Weight != 5 || instances[0].Owner != "host" || instances[0].Registered.IsZero() {
			t.Errorf("found %+v", instances)
		}
		in := r.Instance()
		in.ID, in.Addr = "", "10.0.0.1:81"
		in.Metadata["zone"] = "b"
		succeed(t, r.Update(t.Context(), in))
		b.want(t, "1 10.0.0.1:81", "2 [::1]:80")
		if now := r.Instance(); now.ID != "1" || now.Metadata["zone"] != "b" || !r.Present() || r.Err() != nil {
			t.Errorf("registered %+v", now)
		}
		succeed(t, r.Close(t.Context()))
		b.want(t, "2 [::1]:80")
		wantErr(t, r.Err(), discovery.ErrClosed)
		wantErr(t, r.Update(t.Context(), in), discovery.ErrClosed)
		<-r.Done()
	})
}

// An instance is registered again with its newest data, and not once it was closed.
func TestS61_RegisteredAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		r := a.register(t, discovery.Instance{ID: "1", Addr: "10.0.0.1:80"})
		a.drv.SetLink(memdriver.LinkRefuses)
		pass(2 * ttl)
		b.want(t)
		ctx, stop := context.WithTimeout(t.Context(), time.Second)
		defer stop()
		wantErr(t, r.Update(ctx, discovery.Instance{Addr: "10.0.0.1:81"}), context.DeadlineExceeded)
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		b.want(t, "1 10.0.0.1:81")
		a.drv.SetLink(memdriver.LinkRefuses)
		pass(2 * ttl)
		ctx, stop = context.WithTimeout(t.Context(), time.Second)
		defer stop()
		_ = r.Close(ctx)
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		b.want(t)
	})
}

// A process that is started again replaces its instance, and its old session's end does not
// remove it.
func TestS63_Replaced(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		a.register(t, discovery.Instance{ID: "1", Addr: "10.0.0.1:80"})
		a.kill()
		c := start(t, store)
		r := c.register(t, discovery.Instance{ID: "1", Addr: "10.0.0.2:80"})
		b.want(t, "1 10.0.0.2:80")
		pass(2 * ttl)
		b.want(t, "1 10.0.0.2:80")
		b.register(t, discovery.Instance{ID: "1", Addr: "10.0.0.3:80"})
		pass(ttl)
		wantErr(t, r.Err(), discovery.ErrReplaced)
		b.want(t, "1 10.0.0.3:80")
	})
}

// A watcher keeps what it has while the store is away.
func TestS64_Watch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		r := a.register(t, discovery.Instance{ID: "1", Addr: "10.0.0.1:80", Weight: 3})
		ctx, stop := context.WithCancel(t.Context())
		told := make(chan string, 100)
		var ended error
		go func() { // ends with ctx
			defer close(told)
			for s, err := range discovery.Watch(ctx, b.Client, "web") {
				if ended = err; err == nil {
					told <- fmt.Sprint(s.Revision, s.Addresses(), s.Stale)
				}
			}
		}()
		want := func(want ...string) {
			t.Helper()
			synctest.Wait()
			var got []string
			for len(told) > 0 {
				got = append(got, <-told)
			}
			if !slices.Equal(got, want) {
				t.Errorf("told %q; want %q", got, want)
			}
		}
		want("1 [{10.0.0.1:80 3}] false")
		b.drv.SetLink(memdriver.LinkHangs)
		pass(time.Minute)
		want("1 [{10.0.0.1:80 3}] true")
		succeed(t, r.Close(t.Context()))
		b.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		want("2 [] false")
		stop()
		synctest.Wait()
		wantErr(t, ended, context.Canceled)
	})
}

func TestServices(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := start(t, store)
		h, err := p.Mutex("web").Lock(t.Context()) // a lock may have the name of a service
		succeed(t, err)
		for i, service := range []string{"web", "web/admin", "db", "web"} {
			r, err := discovery.Register(t.Context(), p.Client, service, discovery.Instance{ID: fmt.Sprint(i), Addr: "localhost:80"})
			succeed(t, err)
			t.Cleanup(func() { _ = r.Close(context.Background()) })
		}
		for prefix, want := range map[string]string{"": "db:1 web:2 web/admin:1", "web": "web:2 web/admin:1", "x": ""} {
			services, err := discovery.Services(t.Context(), p.Client, prefix)
			succeed(t, err)
			var got []string
			for _, s := range services {
				got = append(got, fmt.Sprintf("%s:%d", s.Name, len(s.Instances)))
			}
			if strings.Join(got, " ") != want {
				t.Errorf("services %q: %q; want %q", prefix, got, want)
			}
		}
		succeed(t, h.Release(t.Context()))
	})
}

func TestBadInput(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := start(t, store)
		good := discovery.Instance{ID: "1", Addr: "localhost:80"}
		for name, c := range map[string]struct {
			service string
			edit    func(*discovery.Instance)
			want    error
		}{
			"no ID":           {"web", func(in *discovery.Instance) { in.ID = "" }, holdgate.ErrInvalid},
			"no address":      {"web", func(in *discovery.Instance) { in.Addr = "" }, holdgate.ErrInvalid},
			"no port":         {"web", func(in *discovery.Instance) { in.Addr = "localhost" }, holdgate.ErrInvalid},
			"no host":         {"web", func(in *discovery.Instance) { in.Addr = ":80" }, holdgate.ErrInvalid},
			"odd address":     {"web", func(in *discovery.Instance) { in.Addr = "\xff:80" }, holdgate.ErrInvalid},
			"weight below 0":  {"web", func(in *discovery.Instance) { in.Weight = -1 }, holdgate.ErrInvalid},
			"weight too much": {"web", func(in *discovery.Instance) { in.Weight = discovery.MaxWeight + 1 }, holdgate.ErrInvalid},
			"key is empty":    {"web", func(in *discovery.Instance) { in.Metadata = map[string]string{"": "x"} }, holdgate.ErrInvalid},
			"odd metadata":    {"web", func(in *discovery.Instance) { in.Metadata = map[string]string{"x": "\xff"} }, holdgate.ErrInvalid},
			"long metadata": {"web", func(in *discovery.Instance) {
				in.Metadata = map[string]string{"x": strings.Repeat("x", 4096)}
			}, holdgate.ErrTooLarge},
			"no name":     {"", func(*discovery.Instance) {}, holdgate.ErrInvalidName},
			"odd name":    {"\x00", func(*discovery.Instance) {}, holdgate.ErrInvalidName},
			"a long name": {strings.Repeat("x", discovery.MaxService+1), func(*discovery.Instance) {}, holdgate.ErrInvalidName},
		} {
			in := good
			c.edit(&in)
			if _, err := discovery.Register(t.Context(), p.Client, c.service, in); err == nil {
				t.Errorf("%s: no error", name)
			} else {
				wantErr(t, err, c.want)
			}
		}
		_, err := discovery.Lookup(t.Context(), p.Client, "")
		wantErr(t, err, holdgate.ErrInvalidName)
		for _, err := range discovery.Watch(t.Context(), p.Client, "") {
			wantErr(t, err, holdgate.ErrInvalidName)
		}
		if lines := store.Lines(); len(lines) > 0 {
			t.Errorf("left in the store: %+v", lines)
		}
		r := p.register(t, good)
		wantErr(t, r.Update(t.Context(), discovery.Instance{ID: "2", Addr: "localhost:80"}), holdgate.ErrInvalid)
		wantErr(t, r.Update(t.Context(), discovery.Instance{Addr: "localhost"}), holdgate.ErrInvalid)
		p.want(t, "1 localhost:80")
		long, err := discovery.Register(t.Context(), p.Client, strings.Repeat("x", discovery.MaxService), good)
		succeed(t, err)
		succeed(t, long.Close(t.Context()))
	})
}

// An address counts once, for who registered last. The store says who that is: their own clocks
// differ.
func TestAddresses(t *testing.T) {
	t.Parallel()
	now := time.Now()
	got := discovery.Addresses([]discovery.Instance{
		{ID: "1", Addr: "b:1", Weight: 1, Token: 4, Registered: now},
		{ID: "2", Addr: "a:1", Weight: 2, Token: 2, Registered: now},
		{ID: "3", Addr: "b:1", Weight: 3, Token: 1, Registered: now.Add(time.Minute)},
		{ID: "4", Addr: "a:1", Weight: 4, Token: 3, Registered: now.Add(-time.Minute)},
	})
	if want := []discovery.Address{{"a:1", 4}, {"b:1", 1}}; !slices.Equal(got, want) {
		t.Errorf("got %v; want %v", got, want)
	}
}
