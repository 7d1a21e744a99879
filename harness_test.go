package holdgate_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// What follows from the default TTL of 15 s: a renewal every 3.75 s, and belief that
// ends 14.1 s after the last one that counts was sent.
const (
	ttl        = holdgate.DefaultTTL
	renewEvery = ttl / 4
	believed   = ttl - ttl/100 - ttl/20
)

// inBubble runs a test in parallel with the others, on a clock of its own. A goroutine
// that is left over at the end fails it.
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

// newClient returns a client on a healthy handle, which end with the test.
func newClient(t testing.TB, store *memdriver.Store, o *holdgate.Options) *holdgate.Client {
	t.Helper()
	drv := store.Connect(nil)
	c, err := holdgate.New(drv, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(context.Background()); err != nil {
			t.Error(err)
		}
		if err := drv.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// proc is a process as a scenario sees it: a client, and what can happen to it.
type proc struct {
	*holdgate.Client
	drv    *memdriver.Driver
	clock  *memdriver.SkewClock
	faults *faultTable
	events *eventLog
	killed bool
}

// strict are options that turn the local hand-off off.
func strict() *holdgate.Options {
	return &holdgate.Options{Handoff: holdgate.Handoff{Strict: true}}
}

// startProc starts a process, which ends in good order with the test.
func startProc(t testing.TB, store *memdriver.Store, o *holdgate.Options) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
	p.open(t, p.drv, o)
	return p
}

// open makes the client of the process over drv, which wraps its handle or is it.
func (p *proc) open(t testing.TB, drv driver.Driver, o *holdgate.Options) {
	t.Helper()
	var opts holdgate.Options
	if o != nil {
		opts = *o
	}
	if opts.OnEvent == nil {
		opts.OnEvent = p.events.add
	}
	c, err := holdgate.New(drv, &opts)
	if err != nil {
		t.Fatal(err)
	}
	p.Client = c
	t.Cleanup(func() {
		p.clock.Resume()
		p.faults.clear()
		p.drv.SetLink(memdriver.LinkUp)
		if err := c.Close(context.Background()); err != nil && !p.killed {
			t.Errorf("close: %v", err)
		}
		p.drv.Close()
	})
}

// kill ends the process as kill -9 does: nobody gives anything back.
func (p *proc) kill() {
	p.killed = true
	p.drv.Close()
}

// mustLock takes a lock that is free or becomes so.
func (p *proc) mustLock(t testing.TB, name string) *holdgate.Hold {
	t.Helper()
	h, err := p.Mutex(name).Lock(t.Context())
	if err != nil {
		t.Fatalf("lock %q: %v", name, err)
	}
	return h
}

// attempt is a Lock or TryLock under way.
type attempt struct {
	done chan struct{}
	hold *holdgate.Hold
	err  error
	took time.Duration
}

// lockLater begins a Lock.
func (p *proc) lockLater(ctx context.Context, name string) *attempt {
	return begin(func() (*holdgate.Hold, error) { return p.Mutex(name).Lock(ctx) })
}

// tryLater begins a TryLock.
func (p *proc) tryLater(ctx context.Context, name string) *attempt {
	return begin(func() (*holdgate.Hold, error) { return p.Mutex(name).TryLock(ctx) })
}

func begin(take func() (*holdgate.Hold, error)) *attempt {
	a := &attempt{done: make(chan struct{})}
	begun := time.Now()
	go func() { // ends with the attempt; the bubble waits for it
		defer close(a.done)
		a.hold, a.err = take()
		a.took = time.Since(begun)
	}()
	return a
}

// pending fails the test if the attempt was answered.
func (a *attempt) pending(t testing.TB) {
	t.Helper()
	synctest.Wait()
	select {
	case <-a.done:
		t.Fatalf("answered after %v: %v, %v", a.took, a.hold, a.err)
	default:
	}
}

// answered waits for the answer, for at most d of the bubble's time. With 0 it is due
// without any time passing.
func (a *attempt) answered(t testing.TB, d time.Duration) {
	t.Helper()
	late := time.NewTimer(d)
	defer late.Stop()
	select {
	case <-a.done:
		return
	case <-late.C:
	}
	synctest.Wait() // both may be due at this moment
	select {
	case <-a.done:
	default:
		t.Fatalf("no answer after another %v", d)
	}
}

// granted waits for a hold, for at most d.
func (a *attempt) granted(t testing.TB, d time.Duration) *holdgate.Hold {
	t.Helper()
	a.answered(t, d)
	if a.err != nil {
		t.Fatalf("not granted: %v", a.err)
	}
	return a.hold
}

// refused waits for an error, for at most d, and checks that it matches all kinds.
func (a *attempt) refused(t testing.TB, d time.Duration, kinds ...error) error {
	t.Helper()
	a.answered(t, d)
	if a.hold != nil {
		t.Fatalf("granted, and the error is %v", a.err)
	}
	wantErr(t, a.err, kinds...)
	return a.err
}

func wantErr(t testing.TB, err error, kinds ...error) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error; want %v", kinds)
	}
	for _, kind := range kinds {
		if !errors.Is(err, kind) {
			t.Fatalf("got error %q, which does not match %q", err, kind)
		}
	}
}

// releaseLater begins a Release, and returns where its answer comes.
func releaseLater(ctx context.Context, h *holdgate.Hold) <-chan error {
	answer := make(chan error, 1)
	go func() { answer <- h.Release(ctx) }() // ends with the release; the bubble waits for it
	return answer
}

func mustRelease(t testing.TB, h *holdgate.Hold) {
	t.Helper()
	if err := h.Release(t.Context()); err != nil {
		t.Fatalf("release: %v", err)
	}
}

// wantLost checks that a hold tells of its loss in every way it has, and why.
func wantLost(t testing.TB, h *holdgate.Hold, reason holdgate.LostReason) *holdgate.LostError {
	t.Helper()
	err := h.Err()
	var lost *holdgate.LostError
	if !errors.As(err, &lost) || !errors.Is(err, holdgate.ErrLost) {
		t.Fatalf("the hold's error is %v, not that it is lost", err)
	}
	if lost.Reason != reason || lost.Name != h.Name() {
		t.Fatalf("lost %q by %q; want %q by %q", lost.Name, lost.Reason, h.Name(), reason)
	}
	if cause := context.Cause(h.Context()); cause != err { //nolint:errorlint // the same one
		t.Fatalf("the cause of the context is %v; want %v", cause, err)
	}
	if h.Token() != 0 || !h.TrustedUntil().IsZero() {
		t.Fatalf("lost, and still token %v trusted until %v", h.Token(), h.TrustedUntil())
	}
	return lost
}

func wantHeld(t testing.TB, h *holdgate.Hold) {
	t.Helper()
	if err := h.Err(); err != nil {
		t.Fatalf("not held any more: %v", err)
	}
	if err := h.Context().Err(); err != nil {
		t.Fatalf("held, but its context ended: %v", err)
	}
}

// placesOf returns who stands in a line, as the store has it.
func placesOf(store *memdriver.Store, name string) []driver.Place {
	for _, l := range store.Lines() {
		if l.Name == name {
			return l.Places
		}
	}
	return nil
}

// wantNothingLeft checks that the store has no place any more.
func wantNothingLeft(t testing.TB, store *memdriver.Store) {
	t.Helper()
	for _, l := range store.Lines() {
		t.Errorf("left in the store: %q with %d places", l.Name, len(l.Places))
	}
}

// toldAt returns where the moment is noted at which the hold's context ends.
func toldAt(h *holdgate.Hold) *moment {
	m := &moment{}
	context.AfterFunc(h.Context(), m.now)
	return m
}

// moment is when something happened, if it did.
type moment struct {
	mu sync.Mutex
	at time.Time
}

func (m *moment) now() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.at = time.Now()
}

// when returns the moment; the zero time when it did not happen.
func (m *moment) when() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.at
}
