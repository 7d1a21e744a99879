package discovery_test

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/discovery"
	"github.com/holdgate/holdgate/driver/memdriver"
)

const ttl = holdgate.DefaultTTL

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

// proc is a process with a client.
type proc struct {
	*holdgate.Client
	drv *memdriver.Driver
}

func start(t *testing.T, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{drv: store.Connect(nil)}
	var err error
	if p.Client, err = holdgate.New(p.drv, &holdgate.Options{Owner: "host"}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		p.drv.SetLink(memdriver.LinkUp)
		_ = p.Close(context.Background()) // who was killed cannot
		_ = p.drv.Close()
	})
	return p
}

// kill ends the process as kill -9 does, as far as the store can tell.
func (p *proc) kill() { _ = p.drv.Close() }

func (p *proc) register(t *testing.T, in discovery.Instance) *discovery.Registration {
	t.Helper()
	r, err := discovery.Register(t.Context(), p.Client, "web", in)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close(context.Background()) }) // before the client is closed
	return r
}

// want checks where the service is: "id addr", by ID.
func (p *proc) want(t *testing.T, want ...string) {
	t.Helper()
	instances, err := discovery.Lookup(t.Context(), p.Client, "web")
	if err != nil {
		t.Fatal(err)
	}
	if got := describe(instances); !slices.Equal(got, want) {
		t.Errorf("instances %q; want %q", got, want)
	}
}

func describe(instances []discovery.Instance) []string {
	var all []string
	for _, in := range instances {
		all = append(all, in.ID+" "+in.Addr)
	}
	return all
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
