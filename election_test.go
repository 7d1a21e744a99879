package holdgate_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// campaignLater begins to campaign.
func (p *proc) campaignLater(ctx context.Context, value string) *attempt {
	return begin(func() (*holdgate.Hold, error) {
		lead, err := p.Election("x").Campaign(ctx, value)
		if err != nil {
			return nil, err
		}
		return lead.Hold, nil
	})
}

// observed keeps what an observer was told.
type observed struct {
	mu   sync.Mutex
	told []string
	err  error
}

// observe follows an election until ctx ends.
func observe(ctx context.Context, p *proc) *observed {
	o := &observed{}
	go func() { // ends with ctx; the bubble waits for it
		for lead, err := range p.Election("x").Observe(ctx) {
			o.add(lead, err)
		}
	}()
	return o
}

func (o *observed) add(lead holdgate.Place, err error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case err != nil:
		o.err = err
	case !lead.Granted:
		o.told = append(o.told, "nobody")
	default:
		o.told = append(o.told, lead.Value)
	}
}

// want compares with what was told since the last time.
func (o *observed) want(t testing.TB, told ...string) {
	t.Helper()
	synctest.Wait()
	o.mu.Lock()
	defer o.mu.Unlock()
	if !slices.Equal(o.told, told) {
		t.Errorf("told %q; want %q", o.told, told)
	}
	o.told = nil
}

// The leader is killed: exactly one new leader, with a larger term, and observers see the
// vacancy or, when somebody waits, the new value at once.
func TestS57_LeaderKilled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, c := startProc(t, store, nil), startProc(t, store, nil), startProc(t, store, nil)
		o := observe(t.Context(), c)
		o.want(t, "nobody")
		first := a.campaignLater(t.Context(), "a:1").granted(t, 0)
		o.want(t, "a:1")
		term := first.Token()
		w := b.campaignLater(t.Context(), "b:2")
		w.pending(t)
		o.want(t)
		a.kill()
		second := w.granted(t, ttl)
		if second.Token() <= term {
			t.Errorf("term %v after %v", second.Token(), term)
		}
		o.want(t, "b:2")
		b.kill()
		pass(ttl)
		o.want(t, "nobody")
		third := c.campaignLater(t.Context(), "c:3").granted(t, 0)
		o.want(t, "c:3")
		mustRelease(t, third)
		o.want(t, "nobody")
	})
}

// An observer goes on through an outage, and learns what happened meanwhile.
func TestObserverIsCutOff(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				ctx, stop := context.WithCancel(t.Context())
				o := observe(ctx, b)
				o.want(t, "nobody")
				h := a.campaignLater(t.Context(), "one").granted(t, 0)
				o.want(t, "one")
				b.drv.SetLink(link)
				pass(time.Second)
				mustRelease(t, h)
				h = a.campaignLater(t.Context(), "two").granted(t, 0)
				pass(time.Minute)
				o.want(t)
				b.drv.SetLink(memdriver.LinkUp)
				pass(time.Minute)
				o.want(t, "two")
				stop()
				o.want(t)
				wantErr(t, o.err, context.Canceled)
				mustRelease(t, h)
			})
		})
	}
}

// An observer of a client that is closed is told so.
func TestObserverOfClosedClient(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startProc(t, memdriver.NewStore(), nil)
		o := observe(t.Context(), p)
		o.want(t, "nobody")
		if err := p.Close(t.Context()); err != nil {
			t.Fatal(err)
		}
		o.want(t)
		wantErr(t, o.err, holdgate.ErrClosed)
	})
}

// A leader tells a new value: observers see it, term and place stay.
func TestProclaim(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		o := observe(t.Context(), b)
		o.want(t, "nobody")
		lead, err := a.Election("x").Campaign(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		o.want(t, "one")
		pass(2 * time.Second) // it is noted since when it leads
		o.want(t)
		a.faults.next(memdriver.OpUpdate, memdriver.Fault{Lose: memdriver.LoseAnswer})
		if err = lead.Proclaim(t.Context(), "two"); err != nil {
			t.Fatal(err)
		}
		o.want(t, "two")
		now, err := b.Election("x").Leader(t.Context())
		if err != nil || now.Value != "two" || now.Token != lead.Token() || now.Since.IsZero() {
			t.Errorf("the leader is %+v, %v", now, err)
		}
		w := b.campaignLater(t.Context(), "three")
		w.pending(t)
		all, err := a.Election("x").Participants(t.Context())
		if err != nil || len(all) != 2 || all[0].Value != "two" || all[1].Value != "three" || all[1].Granted {
			t.Errorf("the participants are %+v, %v", all, err)
		}
		if err = lead.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
		wantErr(t, lead.Proclaim(t.Context(), "four"), holdgate.ErrNotHeld)
		next := w.granted(t, 0)
		o.want(t, "three")
		mustRelease(t, next)
	})
}

// The value is written although the note of since when it leads was under way.
func TestProclaimBesideNote(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		lead, err := p.Election("x").Campaign(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		p.faults.next(memdriver.OpUpdate, memdriver.Fault{Delay: 2 * time.Second})
		pass(1500 * time.Millisecond) // the note is under way
		if err = lead.Proclaim(t.Context(), "two"); err != nil {
			t.Fatal(err)
		}
		pass(5 * time.Second)
		if now, err := p.Election("x").Leader(t.Context()); err != nil || now.Value != "two" {
			t.Errorf("the leader is %+v, %v", now, err)
		}
		if err = lead.Resign(t.Context()); err != nil {
			t.Fatal(err)
		}
	})
}

// The answer to resigning is lost, or its context has ended: it is resigned soon all the
// same, and who asks again is told that nothing is held.
func TestS59_ResignIsRetried(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"answer lost": {Lose: memdriver.LoseAnswer}, "request lost": {Lose: memdriver.LoseRequest},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				lead, err := a.Election("x").Campaign(t.Context(), "one")
				if err != nil {
					t.Fatal(err)
				}
				w := b.campaignLater(t.Context(), "two")
				w.pending(t)
				a.faults.next(memdriver.OpLeave, fault)
				ended, cancel := context.WithCancel(t.Context())
				cancel()
				_ = lead.Resign(ended) // whatever it says
				wantErr(t, lead.Resign(t.Context()), holdgate.ErrNotHeld)
				mustRelease(t, w.granted(t, time.Second))
				wantNothingLeft(t, store)
			})
		})
	}
}

// Bad values: a clear error, and nothing changes in the store.
func TestS46_CandidateValues(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		lead, err := p.Election("leads").Campaign(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		before := placesOf(store, "leads")[0]
		for value, kind := range map[string]error{
			"":                             holdgate.ErrInvalid,
			"\xff":                         holdgate.ErrInvalid,
			"a\x00b":                       holdgate.ErrInvalid,
			strings.Repeat("x", 4<<10):     holdgate.ErrTooLarge,
			strings.Repeat("\"", 2<<10):    holdgate.ErrTooLarge, // twice as long in JSON
			strings.Repeat("\u2028", 1000): holdgate.ErrTooLarge,
		} {
			p.campaignLater(t.Context(), value).refused(t, 0, kind)
			wantErr(t, lead.Proclaim(t.Context(), value), kind)
		}
		if n := len(placesOf(store, "x")); n > 0 {
			t.Errorf("%d places", n)
		}
		if after := placesOf(store, "leads")[0]; after.Version != before.Version {
			t.Errorf("the place was changed: %+v", after)
		}
		longest := strings.Repeat("x", driver.MaxData-200)
		if err = lead.Proclaim(t.Context(), longest); err != nil {
			t.Error(err)
		}
		pass(2 * time.Second) // with the note beside it
		if now, err := p.Election("leads").Leader(t.Context()); err != nil || now.Value != longest || now.Since.IsZero() {
			t.Errorf("%d bytes told, since %v, %v", len(now.Value), now.Since, err)
		}
		_, err = p.Election("").Campaign(t.Context(), "one")
		wantErr(t, err, holdgate.ErrInvalidName)
		for _, err := range p.Election("").Observe(t.Context()) {
			wantErr(t, err, holdgate.ErrInvalidName)
		}
	})
}

// errStop ends Run from inside.
var errStop = errors.New("stop")

// running is an Election.Run under way.
type running struct {
	began chan *holdgate.Leadership // each term
	err   chan error
}

// run leads until the leader's context ends; at the beginning and at the end of
// each term it asks.
func run(ctx context.Context, p *proc, value string, end func(ctx context.Context) error) *running {
	r := &running{began: make(chan *holdgate.Leadership, 10), err: make(chan error, 1)}
	go func() { // ends with Run; the bubble waits for it
		r.err <- p.Election("x").Run(ctx, value, func(ctx context.Context, lead *holdgate.Leadership) error {
			r.began <- lead
			<-ctx.Done()
			return end(ctx)
		})
	}()
	return r
}

// term waits for the beginning of one.
func (r *running) term(t testing.TB, d time.Duration) *holdgate.Leadership {
	t.Helper()
	select {
	case lead := <-r.began:
		return lead
	case <-time.After(d):
		t.Fatalf("does not lead after %v", d)
		return nil
	}
}

// A leader loses its session before its work starts: the work is not begun on it, and its
// context has ended.
func TestS58_LostBeforeTheWork(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := &proc{}, startProc(t, store, nil)
		var once sync.Once
		stalled := make(chan struct{})
		*a = *startProc(t, store, &holdgate.Options{OnEvent: func(e holdgate.Event) {
			if e.Type != holdgate.EventAcquired {
				return
			}
			once.Do(func() { // between the grant and the work
				a.drv.SetLink(memdriver.LinkRefuses)
				close(stalled)
				time.Sleep(2 * ttl)
				a.drv.SetLink(memdriver.LinkUp)
			})
		}})
		ctx, stop := context.WithCancelCause(t.Context())
		r := run(ctx, a, "one", func(ctx context.Context) error { return context.Cause(ctx) })
		<-stalled
		w := b.campaignLater(t.Context(), "two").granted(t, 2*ttl)
		pass(ttl)
		if n := len(r.began); n > 0 {
			t.Error("the work was begun though leadership was lost")
		}
		mustRelease(t, w)
		lead := r.term(t, ttl)
		if err := lead.Context().Err(); err != nil {
			t.Errorf("leads again, and the context has ended: %v", err)
		}
		stop(errStop)
		wantErr(t, <-r.err, errStop)
		<-lead.Done()
	})
}

// Leadership is given up only after the leader's function has returned, though its context
// has long ended.
func TestS60_ResignsAfterTheWork(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		ctx, stop := context.WithCancelCause(t.Context())
		slow := make(chan struct{})
		r := run(ctx, a, "one", func(context.Context) error { <-slow; return nil })
		r.term(t, time.Second)
		w := b.campaignLater(t.Context(), "two")
		w.pending(t)
		stop(errStop)
		pass(time.Minute)
		w.pending(t)
		close(slow)
		mustRelease(t, w.granted(t, time.Second))
		wantErr(t, <-r.err, errStop)
		wantNothingLeft(t, store)
	})
}

// Run goes on after a loss, an eviction, a turn of the others and an outage, and ends by an
// error of its function.
func TestElectionRunGoesOn(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		broken := errors.New("broken")
		var end error
		r := run(t.Context(), a, "one", func(ctx context.Context) error {
			if end != nil {
				return end
			}
			return context.Cause(ctx)
		})
		first := r.term(t, time.Second)
		store.ExpireSession(store.Sessions()[0])
		second := r.term(t, 2*ttl)
		if first.Err() == nil || second.Err() != nil {
			t.Errorf("the terms are %v and %v", first.Err(), second.Err())
		}
		if err := b.Evict(t.Context(), "x", second.PlaceID(), holdgate.Eviction{Reason: "have a rest"}); err != nil {
			t.Fatal(err)
		}
		third := r.term(t, 2*ttl)

		w := b.campaignLater(t.Context(), "two")
		w.pending(t)
		store.RemovePlace("x", third.PlaceID())
		h := w.granted(t, 0)
		pass(2 * ttl) // it waits in line again
		a.drv.SetLink(memdriver.LinkRefuses)
		pass(3 * ttl)
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		mustRelease(t, h)
		fourth := r.term(t, ttl)
		end = broken
		store.RemovePlace("x", fourth.PlaceID())
		if err := <-r.err; !errors.Is(err, broken) {
			t.Errorf("Run returned %v", err)
		}
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// A candidate that is evicted while it waits goes to the end of the line.
func TestElectionRunEvictedWaiter(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		h := b.campaignLater(t.Context(), "two").granted(t, 0)
		ctx, stop := context.WithCancel(t.Context())
		r := run(ctx, a, "one", func(ctx context.Context) error { return ctx.Err() })
		synctest.Wait()
		waits := placesOf(store, "x")[1].ID
		if err := b.Evict(t.Context(), "x", waits, holdgate.Eviction{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Second)
		if p := placesOf(store, "x"); len(p) != 2 || p[1].ID == waits {
			t.Errorf("the line is %+v", p)
		}
		mustRelease(t, h)
		r.term(t, time.Second)
		stop()
		wantErr(t, <-r.err, context.Canceled)
	})
}

// When its context ends Run returns the cause, whatever the function makes of it.
func TestElectionRunEndsByCause(t *testing.T) {
	for name, end := range map[string]func(context.Context) error{
		"nil": func(context.Context) error { return nil }, "cause": context.Cause, "error": context.Context.Err,
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				ctx, stop := context.WithCancelCause(t.Context())
				r := run(ctx, p, "one", end)
				r.term(t, time.Second)
				stop(errStop)
				wantErr(t, <-r.err, errStop)
			})
		})
	}
}

// A function that panics gives up leadership too.
func TestElectionRunPanics(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		func() {
			defer func() { _ = recover() }()
			_ = p.Election("x").Run(t.Context(), "one", func(context.Context, *holdgate.Leadership) error { panic("broken") })
			t.Error("Run has swallowed the panic")
		}()
		pass(time.Second)
		wantNothingLeft(t, store)
	})
}

// What the store refuses ends Run.
func TestElectionRunRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		h := p.mustLock(t, "x")
		never := func(context.Context, *holdgate.Leadership) error { t.Error("leads"); return nil }
		wantErr(t, p.Election("x").Run(t.Context(), "one", never), holdgate.ErrMismatch)
		wantErr(t, p.Election("x").Run(t.Context(), "", never), holdgate.ErrInvalid)
		mustRelease(t, h)
	})
}
