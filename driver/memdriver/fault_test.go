package memdriver_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// rig is a store with two processes: one whose calls of one operation go wrong, and
// one that sees what really happened.
type rig struct {
	store   *memdriver.Store
	driver  *memdriver.Driver
	session driver.Session
	sound   *memdriver.Driver
}

// newRig returns a rig on which the fault hits every call of the operation until
// heal is called.
func newRig(t *testing.T, op memdriver.Op, f memdriver.Fault) (r rig, heal func()) {
	t.Helper()
	healed := make(chan struct{})
	r.store = memdriver.NewStore()
	r.sound = r.store.Connect(nil)
	r.driver = r.store.Connect(&memdriver.Options{Faults: func(c memdriver.Call) memdriver.Fault {
		select {
		case <-healed:
			return memdriver.Fault{}
		default:
		}
		if c.Op != op {
			return memdriver.Fault{}
		}
		return f
	}})
	r.session = open(t, r.driver, time.Hour)
	return r, func() { close(healed) }
}

// stands reports how many places the line really has.
func (r rig) stands(t *testing.T, line string) int {
	t.Helper()
	return len(must(t, r.sound.Line, line).Places)
}

func TestLostRequest(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, heal := newRig(t, memdriver.OpEnter, memdriver.Fault{Lose: memdriver.LoseRequest})
		_, err := r.session.Enter(t.Context(), claim("l", 1))
		wantErr(t, err, driver.ErrUnavailable)
		if got := r.stands(t, "l"); got != 0 {
			t.Errorf("got %d places, want none", got)
		}
		heal()
		must(t, r.session.Enter, claim("l", 1))
	})
}

// S28: the answer was lost. The place is there, and a retry returns it.
func TestLostAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, heal := newRig(t, memdriver.OpEnter, memdriver.Fault{Lose: memdriver.LoseAnswer})
		c := claim("l", 1)
		c.Try = true
		_, err := r.session.Enter(t.Context(), c)
		wantErr(t, err, driver.ErrUnknownOutcome)
		if got := r.stands(t, "l"); got != 1 {
			t.Errorf("got %d places, want 1", got)
		}
		heal()
		if p := must(t, r.session.Enter, c); !p.Granted || r.stands(t, "l") != 1 {
			t.Errorf("the retry got %+v", p)
		}
	})
}

// The answer to a question changes nothing by being lost.
func TestLostAnswerOfARead(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRig(t, memdriver.OpLine, memdriver.Fault{Lose: memdriver.LoseAnswer})
		_, err := r.driver.Line(t.Context(), "l")
		wantErr(t, err, driver.ErrUnavailable)
	})
}

// What hangs ends with its context, at once, whatever was lost.
func TestHang(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		lose memdriver.Loss
		want int
	}{
		"request": {memdriver.LoseRequest, 0},
		"answer":  {memdriver.LoseAnswer, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, _ := newRig(t, memdriver.OpEnter, memdriver.Fault{Lose: tc.lose, Hang: true})
				ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
				defer cancel()
				start := time.Now()
				_, err := r.session.Enter(ctx, claim("l", 1))
				wantErr(t, err, context.DeadlineExceeded)
				wantErr(t, err, driver.ErrUnknownOutcome)
				if got := time.Since(start); got != 3*time.Second {
					t.Errorf("returned after %v, want 3s", got)
				}
				if got := r.stands(t, "l"); got != tc.want {
					t.Errorf("got %d places, want %d", got, tc.want)
				}
			})
		})
	}
}

// A delayed request cannot be called back: it lands after the caller gave up, and
// behind what was sent later.
func TestDelayedEnterLandsLate(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, heal := newRig(t, memdriver.OpEnter, memdriver.Fault{Delay: 10 * time.Second})
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		_, err := r.session.Enter(ctx, claim("l", 1))
		wantErr(t, err, driver.ErrUnknownOutcome)
		heal()
		must(t, r.session.Enter, claim("l", 2))
		time.Sleep(9 * time.Second)
		synctest.Wait()
		l := must(t, r.sound.Line, "l")
		if len(l.Places) != 2 || l.Places[0].ID != id(2) || l.Places[1].ID != id(1) {
			t.Errorf("got %v, want the later request first", l.Places)
		}
	})
}

func TestDelayIsWaitedFor(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRig(t, memdriver.OpEnter, memdriver.Fault{Delay: 2 * time.Second, AnswerDelay: 3 * time.Second})
		start := time.Now()
		go func() {
			time.Sleep(2*time.Second + 1)
			if got := r.stands(t, "l"); got != 1 {
				t.Errorf("got %d places when the request had landed, want 1", got)
			}
		}()
		must(t, r.session.Enter, claim("l", 1))
		if got := time.Since(start); got != 5*time.Second {
			t.Errorf("returned after %v, want 5s", got)
		}
	})
}

// Whoever leaves a place while its Enter is under way has left it; but a store that
// cannot order the two brings it back.
func TestLeaveOvertakesDelayed(t *testing.T) {
	t.Parallel()
	enter := func(ctx context.Context, s driver.Session) error {
		_, err := s.Enter(ctx, claim("l", 1))
		return err
	}
	swap := func(ctx context.Context, s driver.Session) error {
		_, err := s.Swap(ctx, driver.Place{Line: "l", ID: id(9)}, claim("l", 1))
		return err
	}
	tryAll := func(ctx context.Context, s driver.Session) error {
		all := s.(driver.AllTrier)
		_, err := all.TryAll(ctx, []driver.Claim{claim("k", 2), claim("l", 1)})
		return err
	}
	for name, tc := range map[string]struct {
		op    memdriver.Op
		stray bool
		send  func(context.Context, driver.Session) error
		want  bool // the place stands at last
	}{
		"enter":       {memdriver.OpEnter, false, enter, false},
		"swap":        {memdriver.OpSwap, false, swap, false},
		"try all":     {memdriver.OpTryAll, false, tryAll, false},
		"stray enter": {memdriver.OpEnter, true, enter, true},
		"stray swap":  {memdriver.OpSwap, true, swap, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r, heal := newRig(t, tc.op, memdriver.Fault{Delay: 10 * time.Second, Stray: tc.stray})
				if tc.op == memdriver.OpSwap {
					must(t, r.session.Enter, claim("l", 9))
				}
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				wantErr(t, tc.send(ctx, r.session), context.DeadlineExceeded)
				heal()
				wantErr(t, r.session.Leave(t.Context(), "l", id(1)), driver.ErrGone)
				time.Sleep(10 * time.Second)
				synctest.Wait()
				l := must(t, r.sound.Line, "l")
				if got := l.Find(id(1)) >= 0; got != tc.want {
					t.Errorf("the place stands: %v, want %v", got, tc.want)
				}
				if got := r.stands(t, "k"); got != 0 {
					t.Errorf("half of the TryAll stands")
				}
			})
		})
	}
}

// A late Enter of a place that stood and was left does not bring it back either.
func TestLateDuplicateDoesNotRevive(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, heal := newRig(t, memdriver.OpEnter, memdriver.Fault{Delay: 10 * time.Second})
		first := make(chan error)
		go func() { _, err := r.session.Enter(t.Context(), claim("l", 1)); first <- err }()
		synctest.Wait()
		heal()
		leave(t, r.session, must(t, r.session.Enter, claim("l", 1)))
		wantErr(t, <-first, driver.ErrGone)
		if got := r.stands(t, "l"); got != 0 {
			t.Errorf("got %d places, want none", got)
		}
	})
}

// An answer that comes late tells what was true when it was given.
func TestLateAnswerIsOld(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRig(t, memdriver.OpPresent, memdriver.Fault{AnswerDelay: 5 * time.Second})
		p := must(t, r.session.Enter, claim("l", 1))
		time.AfterFunc(time.Second, func() { leave(t, r.session, p) })
		if got := present(t, r.session); len(got) != 1 {
			t.Errorf("got %d places, want the one of 5 s ago", len(got))
		}
	})
}

func TestInjectedError(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRig(t, memdriver.OpEnter, memdriver.Fault{Err: driver.ErrDenied})
		_, err := r.session.Enter(t.Context(), claim("l", 1))
		wantErr(t, err, driver.ErrDenied)
		if got := r.stands(t, "l"); got != 0 {
			t.Errorf("got %d places, want none", got)
		}
	})
}

// A wake-up that is delivered twice is no grant.
func TestWakeEarly(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, heal := newRig(t, memdriver.OpWait, memdriver.Fault{WakeEarly: true})
		first := must(t, r.session.Enter, claim("l", 1))
		p := must(t, r.session.Enter, claim("l", 2))
		if got := must(t, r.session.Wait, p); got.Granted {
			t.Error("an early wake-up says granted")
		}
		heal()
		time.AfterFunc(time.Minute, func() { leave(t, r.session, first) })
		if got := must(t, r.session.Wait, p); !got.Granted {
			t.Error("the real wake-up says not granted")
		}
	})
}

// S27: a caller gives up after the store did it and before it is told.
func TestApplied(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		r, _ := newRig(t, memdriver.OpEnter, memdriver.Fault{Applied: cancel, Lose: memdriver.LoseAnswer, Hang: true})
		_, err := r.session.Enter(ctx, claim("l", 1))
		wantErr(t, err, context.Canceled)
		if got := r.stands(t, "l"); got != 1 {
			t.Errorf("got %d places, want 1", got)
		}
	})
}

// A handle that is closed with a request under way: the call ends, the request lands.
func TestDelayedRequestOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r, _ := newRig(t, memdriver.OpEnter, memdriver.Fault{Delay: 10 * time.Second})
		time.AfterFunc(time.Second, func() { _ = r.driver.Close() })
		_, err := r.session.Enter(t.Context(), claim("l", 1))
		wantErr(t, err, driver.ErrClosed)
		time.Sleep(10 * time.Second)
		synctest.Wait()
		if got := r.stands(t, "l"); got != 1 {
			t.Errorf("got %d places, want the one that landed late", got)
		}
	})
}

// The injector is told what it needs to choose.
func TestInjectorSeesTheCall(t *testing.T) {
	t.Parallel()
	var calls []memdriver.Call
	d := memdriver.NewStore().Connect(&memdriver.Options{Faults: func(c memdriver.Call) memdriver.Fault {
		calls = append(calls, c)
		return memdriver.Fault{}
	}})
	s := open(t, d, time.Minute)
	p := must(t, s.Enter, claim("l", 1))
	must(t, s.Wait, p)
	p, err := s.Swap(t.Context(), p, claim("l", 2))
	if err != nil {
		t.Fatal(err)
	}
	leave(t, s, p)
	want := []memdriver.Call{
		{Op: memdriver.OpOpen},
		{Op: memdriver.OpEnter, Line: "l", PlaceID: id(1), Session: s.ID()},
		{Op: memdriver.OpWait, Line: "l", PlaceID: id(1), Session: s.ID()},
		{Op: memdriver.OpSwap, Line: "l", PlaceID: id(2), Session: s.ID()},
		{Op: memdriver.OpLeave, Line: "l", PlaceID: id(2), Session: s.ID()},
	}
	if len(calls) != len(want) {
		t.Fatalf("got %v, want %v", calls, want)
	}
	for i := range want {
		if calls[i] != want[i] {
			t.Errorf("call %d: got %+v, want %+v", i, calls[i], want[i])
		}
	}
}

// An error of the way matches one kind, and never two.
func TestOneKindOfError(t *testing.T) {
	t.Parallel()
	kinds := []error{driver.ErrUnavailable, driver.ErrUnknownOutcome, driver.ErrClosed, driver.ErrGone, driver.ErrBusy}
	for name, f := range map[string]memdriver.Fault{
		"request": {Lose: memdriver.LoseRequest},
		"answer":  {Lose: memdriver.LoseAnswer},
	} {
		r, _ := newRig(t, memdriver.OpEnter, f)
		_, err := r.session.Enter(t.Context(), claim("l", 1))
		n := 0
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				n++
			}
		}
		if n != 1 {
			t.Errorf("%s: %v matches %d kinds, want 1", name, err, n)
		}
	}
}
