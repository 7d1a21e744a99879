package holdgate_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

const window = 10 * time.Minute

// job is work that counts how often it was begun.
type job struct {
	begun atomic.Int32
	work  func(ctx context.Context, h *holdgate.Hold) error
}

func (j *job) run(ctx context.Context, h *holdgate.Hold) error {
	j.begun.Add(1)
	if j.work == nil {
		return nil
	}
	return j.work(ctx, h)
}

func (j *job) want(t testing.TB, begun int32) {
	t.Helper()
	if n := j.begun.Load(); n != begun {
		t.Errorf("begun %d times; want %d", n, begun)
	}
}

func mustOnce(t testing.TB, p *proc, j *job) holdgate.Outcome {
	t.Helper()
	o, err := p.Once(t.Context(), "job", window, j.run)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Ten processes start the same job at once: one does it, the others are told who has. After
// the window it is done again.
func TestOnce(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		j := &job{work: func(context.Context, *holdgate.Hold) error { time.Sleep(time.Minute); return nil }}
		var procs sync.WaitGroup
		var ran atomic.Int32
		var mu sync.Mutex
		by := make(map[string]int)
		for range 10 {
			p := startProc(t, store, nil)
			procs.Go(func() {
				o := mustOnce(t, p, j)
				if o.Ran {
					ran.Add(1)
				}
				if o.Took != time.Minute || o.Token == 0 {
					t.Errorf("the outcome is %+v", o)
				}
				mu.Lock()
				defer mu.Unlock()
				by[o.By]++
			})
		}
		procs.Wait()
		j.want(t, 1)
		if ran.Load() != 1 || len(by) != 1 {
			t.Errorf("%d say that they have done it, for %v", ran.Load(), by)
		}
		p := startProc(t, store, nil)
		pass(window - time.Second)
		if o := mustOnce(t, p, j); o.Ran {
			t.Error("done again within the window")
		}
		pass(time.Second)
		if o := mustOnce(t, p, j); !o.Ran {
			t.Error("not done again after the window")
		}
		j.want(t, 2)
		wantNothingLeft(t, store)
	})
}

// What fails, or panics, is not done: the next one does it.
func TestOnceFails(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		broken := errors.New("broken")
		j := &job{work: func(context.Context, *holdgate.Hold) error { return broken }}
		o, err := p.Once(t.Context(), "job", window, j.run)
		if wantErr(t, err, broken); o != (holdgate.Outcome{}) {
			t.Errorf("the outcome is %+v", o)
		}
		j.work = func(context.Context, *holdgate.Hold) error { panic("broken") }
		func() {
			defer func() { _ = recover() }()
			mustOnce(t, p, j)
			t.Error("Once has swallowed the panic")
		}()
		pass(time.Second)
		wantNothingLeft(t, store)
		j.work = nil
		if o := mustOnce(t, p, j); !o.Ran {
			t.Error("not done though nobody has")
		}
		j.want(t, 3)
	})
}

// Who does it dies in the middle: who waits begins anew when the session of the dead has ended.
func TestOnceDoerDies(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		began := make(chan struct{})
		dying := &job{work: func(ctx context.Context, _ *holdgate.Hold) error {
			close(began)
			<-ctx.Done()
			return context.Cause(ctx)
		}}
		ctx, stop := context.WithCancel(t.Context())
		defer stop()
		go func() { _, _ = a.Once(ctx, "job", window, dying.run) }() // ends with ctx; the bubble waits for it
		<-began
		a.kill()
		begun := time.Now()
		if o := mustOnce(t, b, &job{}); !o.Ran {
			t.Error("not done though nobody has")
		}
		if took := time.Since(begun); took > ttl {
			t.Errorf("waited %v for the dead", took)
		}
	})
}

// The lock is lost while it is done: that is not recorded, and said.
func TestOnceLost(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		j := &job{work: func(ctx context.Context, h *holdgate.Hold) error {
			store.RemovePlace("job", h.PlaceID())
			<-ctx.Done()
			return nil
		}}
		_, err := p.Once(t.Context(), "job", window, j.run)
		wantErr(t, err, holdgate.ErrLost)
		o, err := p.Outcome(t.Context(), "job")
		if err != nil || !o.At.IsZero() {
			t.Errorf("recorded: %+v, %v", o, err)
		}
	})
}

// That it is done is recorded though the answer was lost, or the caller has given up; when it
// cannot be, that is said.
func TestOnceRecording(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"answer lost":  {Lose: memdriver.LoseAnswer},
		"request lost": {Lose: memdriver.LoseRequest},
		"no answer":    {Lose: memdriver.LoseAnswer, Hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				ctx, cancel := context.WithCancel(t.Context())
				p.faults.next(memdriver.OpPut, fault)
				o, err := p.Once(ctx, "job", window, func(context.Context, *holdgate.Hold) error { cancel(); return nil })
				if err != nil && fault.Hang { // a try takes as long as it goes on
					wantErr(t, err, holdgate.ErrUnavailable)
				} else if err != nil || !o.Ran {
					t.Errorf("the outcome is %+v, %v", o, err)
				}
				j := &job{}
				if o := mustOnce(t, p, j); o.Ran {
					t.Error("done twice")
				}
			})
		})
	}
	t.Run("store away", func(t *testing.T) {
		inBubble(t, func(t *testing.T) {
			p := startProc(t, memdriver.NewStore(), nil)
			lift := p.faults.always(memdriver.OpPut, memdriver.Fault{Err: errStoreDown})
			_, err := p.Once(t.Context(), "job", window, (&job{}).run)
			wantErr(t, err, holdgate.ErrUnavailable)
			if !strings.Contains(err.Error(), "is done, and that was not recorded") {
				t.Errorf("got %q", err)
			}
			lift()
		})
	})
}

// Bad input, a store that cannot, a key of other software: an error, and the job is not begun.
func TestS46_OnceRefused(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		j := &job{}
		for _, bad := range []struct {
			key    string
			window time.Duration
			kind   error
		}{
			{"job", 0, holdgate.ErrInvalid},
			{"job", time.Millisecond, holdgate.ErrInvalid},
			{"job", holdgate.MaxWindow + 1, holdgate.ErrInvalid},
			{"", window, holdgate.ErrInvalidName},
			{strings.Repeat("x", 499), window, holdgate.ErrInvalidName},
		} {
			_, err := p.Once(t.Context(), bad.key, bad.window, j.run)
			wantErr(t, err, bad.kind)
		}
		if n := p.faults.total(); n > 0 {
			t.Errorf("the store was asked %d times", n)
		}
		if _, err := p.drv.Put(t.Context(), driver.Put{Key: "holdgate.once/job", Value: []byte("x")}); err != nil {
			t.Fatal(err)
		}
		_, err := p.Once(t.Context(), "job", window, j.run)
		wantErr(t, err, holdgate.ErrMismatch)
		_, err = startBare(t, store).Once(t.Context(), "other", window, j.run)
		wantErr(t, err, holdgate.ErrUnsupported)
		j.want(t, 0)
		wantNothingLeft(t, store)

		o, err := p.Once(t.Context(), strings.Repeat("x", 498), window, j.run)
		if err != nil || !o.Ran {
			t.Errorf("the longest key: %+v, %v", o, err)
		}
		h := p.mustLock(t, "held")
		_, err = h.Record(t.Context(), 0)
		wantErr(t, err, holdgate.ErrInvalid)
		mustRelease(t, h)
		_, err = h.Record(t.Context(), window)
		wantErr(t, err, holdgate.ErrNotHeld)
	})
}

// bare is a driver with nothing optional.
type bare struct{ driver.Driver }

func (d bare) Features() driver.Features {
	f := d.Driver.Features()
	f.KV, f.TryAll = false, false
	return f
}

func startBare(t testing.TB, store *memdriver.Store) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock})
	p.open(t, bare{p.drv}, nil)
	return p
}
