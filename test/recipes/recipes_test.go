package recipes_test

import (
	"context"
	"errors"
	"maps"
	"slices"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
)

// TestRecipes runs every recipe, and every scenario that needs little, on every store. Each has names of its own.
func TestRecipes(t *testing.T) {
	t.Parallel()
	for store, start := range stores() {
		t.Run(store, func(t *testing.T) {
			t.Parallel()
			open := start(t)
			all := map[string]func(t *testing.T, open opener){
				"read and write": readAndWrite,
				"semaphore":      semaphore,
				"several locks":  severalLocks,
				"one lock again": again,
				"election":       election,
				"run":            runs,
				"barrier":        barrier,
				"once":           once,
				"deaths":         deaths,
				"members":        members,
				"services":       services,
			}
			maps.Copy(all, scenarios())
			for recipe, run := range all {
				t.Run(recipe, func(t *testing.T) {
					t.Parallel()
					run(t, open)
				})
			}
		})
	}
}

// taking is a call under way that takes a lock.
type taking struct {
	done chan struct{}
	hold *holdgate.Hold
	err  error
}

func begin(take func() (*holdgate.Hold, error)) *taking {
	a := &taking{done: make(chan struct{})}
	go func() { // ends with the call
		defer close(a.done)
		a.hold, a.err = take()
	}()
	return a
}

// granted waits for the hold.
func (a *taking) granted(t testing.TB) *holdgate.Hold {
	t.Helper()
	select {
	case <-a.done:
	case <-time.After(soon):
		t.Fatal("not granted")
	}
	if a.err != nil {
		t.Fatal(a.err)
	}
	return a.hold
}

// waits checks that the call is not answered once so many stand in the line.
func (a *taking) waits(t testing.TB, p *process, name string, places int) {
	t.Helper()
	inLine(t, p, name, places)
	select {
	case <-a.done:
		t.Fatalf("granted: %v", a.err)
	default:
	}
}

// inLine waits until so many stand in a line.
func inLine(t testing.TB, p *process, name string, places int) {
	t.Helper()
	ctx, stop := context.WithTimeout(t.Context(), soon)
	defer stop()
	for s, err := range p.Watch(ctx, holdgate.Query{Name: name}) {
		if err != nil {
			t.Fatalf("%d in line for %q: %v", places, name, err)
		}
		if len(s.Lines) == 0 && places == 0 || len(s.Lines) == 1 && len(s.Lines[0].Places) == places {
			return
		}
	}
}

func release(t testing.TB, h *holdgate.Hold) {
	t.Helper()
	if err := h.Release(t.Context()); err != nil {
		t.Fatalf("release %q: %v", h.Name(), err)
	}
}

func wantErr(t testing.TB, err, kind error) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("got %v; want %v", err, kind)
	}
}

func succeed(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func readAndWrite(t *testing.T, open opener) {
	a, b, c, name := open.start(t), open.start(t), open.start(t), t.Name()
	reads := func(p *process) *taking {
		return begin(func() (*holdgate.Hold, error) { return p.RWMutex(name).RLock(t.Context()) })
	}
	writes := func(p *process) *taking {
		return begin(func() (*holdgate.Hold, error) { return p.RWMutex(name).Lock(t.Context()) })
	}
	one, two := reads(a).granted(t), reads(b).granted(t)
	writer := writes(a)
	writer.waits(t, a, name, 3)
	late := reads(c) // in b it may join the one who reads there
	late.waits(t, a, name, 4)
	_, err := c.RWMutex(name).TryRLock(t.Context())
	wantErr(t, err, holdgate.ErrBusy)
	release(t, one)
	writer.waits(t, a, name, 3)
	release(t, two)
	h := writer.granted(t)
	late.waits(t, a, name, 2)
	another := writes(b)
	another.waits(t, a, name, 3)

	token := h.Token()
	succeed(t, h.Downgrade(t.Context()))
	third := late.granted(t) // shares it with who wrote
	another.waits(t, a, name, 3)
	if h.Token() != token || h.Exclusive() {
		t.Errorf("token %v, exclusive %v", h.Token(), h.Exclusive())
	}
	_, err = b.Mutex(name).Lock(t.Context())
	wantErr(t, err, holdgate.ErrMismatch)
	release(t, h)
	another.waits(t, a, name, 2)
	release(t, third)
	release(t, another.granted(t))
	inLine(t, a, name, 0)
}

func semaphore(t *testing.T, open opener) {
	a, b, name := open.start(t), open.start(t), t.Name()
	acquire := func(p *process, n int64) *taking {
		return begin(func() (*holdgate.Hold, error) { return p.Semaphore(name, 4).Acquire(t.Context(), n) })
	}
	three := acquire(a, 3).granted(t)
	big := acquire(b, 2)
	big.waits(t, a, name, 2)
	small := acquire(a, 1)
	small.waits(t, a, name, 3) // though it would fit
	_, err := b.Semaphore(name, 4).TryAcquire(t.Context(), 1)
	wantErr(t, err, holdgate.ErrBusy)
	_, err = b.Semaphore(name, 5).Acquire(t.Context(), 1)
	wantErr(t, err, holdgate.ErrMismatch)
	release(t, three)
	two, one := big.granted(t), small.granted(t)
	last, err := a.Semaphore(name, 4).TryAcquire(t.Context(), 1)
	succeed(t, err)
	for _, h := range []*holdgate.Hold{two, one, last} {
		release(t, h)
	}
	inLine(t, a, name, 0)
}

func severalLocks(t *testing.T, open opener) {
	a, b := open.start(t), open.start(t)
	x, y := t.Name()+"/x", t.Name()+"/y"
	held, err := b.Mutex(y).Lock(t.Context())
	succeed(t, err)
	_, err = a.TryLockAll(t.Context(), y, x)
	wantErr(t, err, holdgate.ErrBusy)
	inLine(t, a, x, 0)
	both := begin(func() (*holdgate.Hold, error) { return a.LockAll(t.Context(), y, x) })
	both.waits(t, a, y, 2)
	token := held.Token()
	release(t, held)
	h := both.granted(t)
	if h.TokenFor(y) <= token || h.TokenFor(x) == 0 {
		t.Errorf("tokens %v and %v after %v", h.TokenFor(x), h.TokenFor(y), token)
	}
	_, err = b.Mutex(x).TryLock(t.Context())
	wantErr(t, err, holdgate.ErrBusy)
	release(t, h)
	h, err = b.TryLockAll(t.Context(), y, x)
	succeed(t, err)
	succeed(t, h.Verify(t.Context()))
	release(t, h)
	inLine(t, a, x, 0)
	inLine(t, a, y, 0)
}

func again(t *testing.T, open opener) {
	p, name := open.start(t), t.Name()
	outer, err := p.Reentrant(name).Lock(t.Context())
	succeed(t, err)
	inner, err := p.Reentrant(name).Lock(outer.Context())
	succeed(t, err)
	release(t, outer)
	succeed(t, inner.Verify(t.Context()))
	release(t, inner)
	inLine(t, p, name, 0)
}

func election(t *testing.T, open opener) {
	a, b, name := open.start(t), open.start(t), t.Name()
	ctx, stop := context.WithCancel(t.Context())
	defer stop()
	saw := make(chan string, 100)
	go func() { // ends with ctx
		defer close(saw)
		for leader, err := range b.Election(name).Observe(ctx) {
			if err == nil {
				saw <- leader.Value
			}
		}
	}()
	see := func(value string) {
		t.Helper()
		select {
		case got := <-saw:
			if got != value {
				t.Fatalf("saw %q; want %q", got, value)
			}
		case <-time.After(soon):
			t.Fatalf("did not see %q", value)
		}
	}
	see("")
	lead, err := a.Election(name).Campaign(t.Context(), "one")
	succeed(t, err)
	see("one")
	succeed(t, lead.Proclaim(t.Context(), "two"))
	see("two")
	next := begin(func() (*holdgate.Hold, error) {
		lead, err := b.Election(name).Campaign(t.Context(), "three")
		if err != nil {
			return nil, err
		}
		return lead.Hold, nil
	})
	next.waits(t, a, name, 2)
	_, err = a.Election(name).TryCampaign(t.Context(), "four")
	wantErr(t, err, holdgate.ErrBusy)
	all, err := a.Election(name).Participants(t.Context())
	succeed(t, err)
	if len(all) != 2 || all[0].Value != "two" || all[1].Value != "three" {
		t.Errorf("participants: %+v", all)
	}
	term := lead.Token()
	succeed(t, lead.Resign(t.Context()))
	h := next.granted(t)
	if h.Token() <= term {
		t.Errorf("term %v after %v", h.Token(), term)
	}
	see("three")
	release(t, h)
	see("")
	stop()
	for range saw { // until Observe has ended
	}
}

func runs(t *testing.T, open opener) {
	a, name := open.start(t), t.Name()
	ctx, stop := context.WithCancelCause(t.Context())
	done := errors.New("done")
	terms := 0
	err := a.Election(name).Run(ctx, "one", func(ctx context.Context, _ *holdgate.Leadership) error {
		if terms++; terms == 3 {
			stop(done)
			<-ctx.Done()
		}
		return nil
	})
	wantErr(t, err, done)
	inLine(t, a, name, 0)
}

func barrier(t *testing.T, open opener) {
	name := t.Name()
	const parties, rounds = 3, 5
	left := make(chan []int, parties)
	for range parties {
		p := open.start(t)
		go func() { // ends with its rounds, or with the test
			var counted []int
			defer func() { left <- counted }()
			for range rounds {
				party, err := p.Barrier(name, parties).Enter(t.Context())
				if err != nil {
					t.Error(err)
					return
				}
				line, err := p.Line(t.Context(), name)
				if err != nil {
					t.Error(err)
					return
				}
				counted = append(counted, len(line.Places))
				if err = party.Leave(t.Context()); err != nil {
					t.Error(err)
					return
				}
			}
		}()
	}
	for range parties {
		select {
		case counted := <-left:
			if slices.Min(append(counted, parties)) < parties || len(counted) < rounds {
				t.Errorf("at work with %v in line", counted)
			}
		case <-time.After(soon):
			t.Fatal("the parties have not met")
		}
	}
	p := open.start(t)
	_, err := p.Barrier(name, parties).Enter(expired(t))
	wantErr(t, err, context.DeadlineExceeded)
	inLine(t, p, name, 0)
}

// expired is a context that ends shortly.
func expired(t testing.TB) context.Context {
	ctx, stop := context.WithTimeout(t.Context(), 200*time.Millisecond)
	t.Cleanup(stop)
	return ctx
}

func once(t *testing.T, open opener) {
	a, b, name := open.start(t), open.start(t), t.Name()
	ran := 0
	work := func(context.Context, *holdgate.Hold) error { ran++; return nil }
	const window = 2 * time.Second
	first, err := a.Once(t.Context(), name, window, work)
	if !a.Features().KV {
		wantErr(t, err, holdgate.ErrUnsupported)
		return
	}
	succeed(t, err)
	begun := time.Now()
	second, err := b.Once(t.Context(), name, window, work)
	succeed(t, err)
	if time.Since(begun) < window && (second.Ran || second.By != first.By || !second.At.Equal(first.At)) {
		t.Errorf("done by %+v, and by %+v", first, second)
	}
	for ctx := t.Context(); ; { // until the window has passed, on the store's clock
		if o, err := b.Once(ctx, name, window, work); err != nil {
			t.Fatal(err)
		} else if o.Ran {
			break
		}
		if time.Since(begun) > soon {
			t.Fatal("it is remembered for ever")
		}
		time.Sleep(100 * time.Millisecond)
	}
	if passed := time.Since(begun); passed < window-100*time.Millisecond {
		t.Errorf("done again after %v", passed)
	}
}

// deaths: what a process had that died is free a TTL and the store's slack later.
func deaths(t *testing.T, open opener) {
	a, b := open.start(t), open.start(t)
	permits, leads := t.Name()+"/permits", t.Name()+"/leads"
	_, err := a.Semaphore(permits, 2).Acquire(t.Context(), 2)
	succeed(t, err)
	_, err = a.Election(leads).Campaign(t.Context(), "one")
	succeed(t, err)
	acquires := begin(func() (*holdgate.Hold, error) { return b.Semaphore(permits, 2).Acquire(t.Context(), 1) })
	acquires.waits(t, b, permits, 2)
	next := begin(func() (*holdgate.Hold, error) {
		lead, err := b.Election(leads).Campaign(t.Context(), "two")
		if err != nil {
			return nil, err
		}
		return lead.Hold, nil
	})
	next.waits(t, b, leads, 2)
	a.kill()
	release(t, acquires.granted(t))
	release(t, next.granted(t))
}
