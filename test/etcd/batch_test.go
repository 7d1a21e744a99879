package etcd_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

// What many ask for at once goes in few requests, and each is told what came of its own.
func TestManyAtOnceShareTransactions(t *testing.T) {
	t.Parallel()
	const lines = 40
	cluster, g := etcdserver.Start(t, 1), newGate()
	c, looker := newCrowd(t, cluster.Client(t, g.through()), g, nil), newDriver(t, cluster, nil)
	other := openSession(t, looker, time.Minute)
	claims := make([]driver.Claim, lines)
	for i := range claims {
		claims[i] = mutex(fmt.Sprintf("line %d", i))
		if claims[i].Try = i%2 == 0; claims[i].Try {
			enter(t, other, mutex(claims[i].Line))
		}
	}
	before := get(t, cluster.Client(t), "/holdgate/").Header.Revision
	c.gather(lines, func(i int) {
		p, err := c.ses.Enter(t.Context(), claims[i])
		if !claims[i].Try {
			if err != nil || !p.Granted || p.ID != claims[i].ID || p.Line != claims[i].Line {
				t.Errorf("a lock that is free: got %+v, error %v", p, err)
			} else if now := line(t, looker, p.Line); len(now) != 1 || now[0].ID != p.ID || now[0].Order != p.Order {
				t.Errorf("a lock that was free is held by %+v, want %+v", now, p)
			}
			return
		}
		busy, ok := errors.AsType[*driver.BusyError](err)
		if !ok || busy.Head.Line != claims[i].Line || busy.Head.Session != other.ID() {
			t.Errorf("a try of %q: got the error %v, want busy by its holder", claims[i].Line, err)
		}
	})
	if n := g.requests.Load(); n >= lines {
		t.Errorf("%d operations took %d requests", lines, n)
	}
	if made := get(t, cluster.Client(t), "/holdgate/").Header.Revision - before; made >= lines/2+flights {
		t.Errorf("%d places were made in %d revisions", lines/2+flights, made)
	}
	atOnce(lines, func(i int) {
		switch err := c.ses.Leave(t.Context(), claims[i].Line, claims[i].ID); {
		case claims[i].Try && !errors.Is(err, driver.ErrGone):
			t.Errorf("leaving what was not entered: got the error %v, want gone", err)
		case !claims[i].Try && err != nil:
			t.Errorf("leaving: %v", err)
		}
	})
	for _, claim := range claims {
		want := 0
		if claim.Try {
			want = 1 // its holder
		}
		if got := len(line(t, looker, claim.Line)); got != want {
			t.Errorf("in %q %d places are left, want %d", claim.Line, got, want)
		}
	}
}

// Several changes have one revision then. Whoever watches sees all of them.
func TestAWatchSeesAllOfABatch(t *testing.T) {
	t.Parallel()
	const lines = 40
	cluster, g := etcdserver.Start(t, 1), newGate()
	c := newCrowd(t, cluster.Client(t, g.through()), g, nil)
	missing := make(map[string]bool, lines)
	for i := range lines {
		missing[fmt.Sprintf("line %d", i)] = true
	}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	first, done := true, make(chan struct{})
	for s, err := range newDriver(t, cluster, nil).Watch(ctx, driver.Query{Name: "line ", Prefix: true}) {
		if err != nil {
			t.Fatalf("%v; not seen: %v", err, missing)
		}
		if first {
			first = false
			go func() { // ends with its calls
				defer close(done)
				c.gather(lines, func(i int) {
					if _, err := c.ses.Enter(t.Context(), mutex(fmt.Sprintf("line %d", i))); err != nil {
						t.Error(err)
					}
				})
			}()
		}
		for _, l := range s.Lines {
			if len(l.Places) == 1 {
				delete(missing, l.Name)
			}
		}
		if len(missing) == 0 {
			break
		}
	}
	<-done
	if g.batches.Load() == 0 {
		t.Error("nothing was sent together")
	}
}

// When the answer to a batch is lost, none of its callers knows what came of it, and each
// finds its place by asking again.
func TestTheAnswerToABatchIsLost(t *testing.T) {
	t.Parallel()
	const lines = 40
	cluster, g, link := etcdserver.Start(t, 1), newGate(), etcdserver.NewLink(t)
	c := newCrowd(t, cluster.Client(t, append(link.Options(), g.through())...), g, nil)
	var once atomic.Bool
	g.onBatch = func() {
		if !once.Swap(true) {
			link.Link.LoseAnswer() // the connection breaks in its place
		}
	}
	var unknown atomic.Int64
	places := make([]driver.Place, lines)
	c.gather(lines, func(i int) {
		claim := mutex(fmt.Sprintf("line %d", i))
		surely(t, func(ctx context.Context) (err error) {
			if places[i], err = c.ses.Enter(ctx, claim); errors.Is(err, driver.ErrUnknownOutcome) {
				unknown.Add(1)
			}
			return err
		})
		if places[i].ID != claim.ID || !places[i].Granted {
			t.Errorf("got the place %+v, want that of the claim", places[i])
		}
	})
	if unknown.Load() < 2 {
		t.Errorf("%d callers were told that the outcome is unknown, want all of the batch", unknown.Load())
	}
	looker := newDriver(t, cluster, nil)
	for _, p := range places {
		if now := line(t, looker, p.Line); len(now) != 1 || now[0].ID != p.ID || now[0].Order != p.Order {
			t.Errorf("in line stand %+v, want %+v", now, p)
		}
	}
	atOnce(lines, func(i int) {
		surely(t, func(ctx context.Context) error { return c.ses.Leave(ctx, places[i].Line, places[i].ID) })
	})
	nothingLeft(t, looker, "line ")
}

// nothingLeft wants all lines whose name begins so to be empty.
func nothingLeft(t *testing.T, d driver.Driver, prefix string) {
	t.Helper()
	for s, err := range d.Watch(t.Context(), driver.Query{Name: prefix, Prefix: true, Once: true}) {
		if err != nil || len(s.Lines) > 0 {
			t.Errorf("%d lines are left, error %v: %+v", len(s.Lines), err, s.Lines)
		}
	}
}

// A batch needs rights to all that is in it. One name that is forbidden is nobody else's
// concern.
func TestAForbiddenNameInABatch(t *testing.T) {
	t.Parallel()
	const lines = 40
	g := newGate()
	// Allowed are the lines whose name begins with an a, and so are the records.
	client := asUser(t, etcdserver.Start(t, 1), "/app/a", g.through())
	c := newCrowd(t, client, g, &etcddriver.Options{Prefix: "/app", Records: "/app/a-records"})
	c.gather(lines, func(i int) {
		name := fmt.Sprintf("a %d", i)
		if i%10 == 0 {
			name = fmt.Sprintf("b %d", i)
		}
		p, err := c.ses.Enter(t.Context(), mutex(name))
		switch {
		case strings.HasPrefix(name, "b") && !errors.Is(err, driver.ErrDenied):
			t.Errorf("entering %q: got the error %v, want denied", name, err)
		case strings.HasPrefix(name, "a") && (err != nil || !p.Granted):
			t.Errorf("entering %q: got %+v, error %v", name, p, err)
		}
	})
	if g.batches.Load() == 0 {
		t.Error("nothing was sent together")
	}
}

// A server may take less than it does by default.
func TestBatchesOfWhatAServerTakes(t *testing.T) {
	t.Parallel()
	for name, limit := range map[string][]string{
		"16 operations": {"--max-txn-ops", "16"},
		"32 KiB":        {"--max-request-bytes", fmt.Sprint(32 << 10)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cluster, g := etcdserver.Start(t, 1, limit...), newGate()
			c := newCrowd(t, cluster.Client(t, g.through()), g, nil)
			data := []byte(`"` + strings.Repeat("x", 3<<10) + `"`)
			c.gather(60, func(i int) {
				for range 3 {
					claim := mutex(fmt.Sprintf("line %d", i))
					claim.Data = data
					p, err := c.ses.Enter(t.Context(), claim)
					if err != nil || !p.Granted {
						t.Errorf("Enter: got %+v, error %v", p, err)
						return
					}
					if err := c.ses.Leave(t.Context(), p.Line, p.ID); err != nil {
						t.Errorf("Leave: %v", err)
						return
					}
				}
			})
			if g.batches.Load() == 0 {
				t.Error("nothing was sent together")
			}
			nothingLeft(t, newDriver(t, cluster, nil), "line ")
		})
	}
}

// Who gives up, before or after the batch was sent, leaves no place behind.
func TestGivingUpInACrowd(t *testing.T) {
	t.Parallel()
	cluster, g := etcdserver.Start(t, 1), newGate()
	c := newCrowd(t, cluster.Client(t, g.through()), g, nil)
	why := errors.New("enough")
	var gaveUp atomic.Int64
	c.gather(60, func(i int) {
		for range 10 {
			ctx, cancel := context.WithCancelCause(t.Context())
			timer := time.AfterFunc(rand.N(4*time.Millisecond), func() { cancel(why) })
			claim := mutex(fmt.Sprintf("line %d", i))
			p, err := c.ses.Enter(ctx, claim)
			timer.Stop()
			cancel(nil)
			switch {
			case err == nil && !p.Granted:
				t.Errorf("a lock that nobody else wants was not granted: something is left there")
			case err != nil && !errors.Is(err, why):
				t.Errorf("Enter: got the error %v, want the cause", err)
			case err != nil:
				gaveUp.Add(1)
			}
			surely(t, func(ctx context.Context) error { return c.ses.Leave(ctx, claim.Line, claim.ID) })
		}
	})
	t.Logf("%d of 600 gave up", gaveUp.Load())
	if places, err := c.ses.Present(t.Context()); err != nil || slices.ContainsFunc(places, func(p driver.Place) bool {
		return strings.HasPrefix(p.Line, "line ")
	}) {
		t.Errorf("the session has %d places left, error %v", len(places), err)
	}
	nothingLeft(t, newDriver(t, cluster, nil), "line ")
}
