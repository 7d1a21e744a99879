package holdgate_test

import (
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

const sec = time.Second

func TestTrust(t *testing.T) {
	t.Parallel()
	type renewal struct{ sent, answered time.Duration }
	for _, tt := range []struct {
		name     string
		ttl, lag time.Duration
		renewals []renewal
		from     time.Duration // the moment that the deadline counts from
	}{
		{name: "only opened", ttl: 10 * sec},
		{name: "counts from when it was sent", ttl: 10 * sec, renewals: []renewal{{2 * sec, 4 * sec}}, from: 2 * sec},
		{name: "the newest counts", ttl: 10 * sec, renewals: []renewal{{2 * sec, 2 * sec}, {5 * sec, 6 * sec}}, from: 5 * sec},
		{name: "never goes back", ttl: 10 * sec, renewals: []renewal{{5 * sec, 6 * sec}, {2 * sec, 7 * sec}}, from: 5 * sec},
		{name: "with a lag the first proves nothing", ttl: 12 * sec, lag: 4 * sec, renewals: []renewal{{2 * sec, 3 * sec}}},
		{
			name: "with a lag one proves those answered a lag before", ttl: 12 * sec, lag: 4 * sec,
			renewals: []renewal{{2 * sec, 3 * sec}, {4 * sec, 5 * sec}, {7 * sec, 8 * sec}}, from: 2 * sec,
		},
		{
			name: "answered exactly a lag before", ttl: 12 * sec, lag: 4 * sec,
			renewals: []renewal{{2 * sec, 2 * sec}, {6 * sec, 7 * sec}}, from: 2 * sec,
		},
		{
			name: "sent a lag before, but answered later", ttl: 12 * sec, lag: 4 * sec,
			renewals: []renewal{{2 * sec, 5 * sec}, {6 * sec, 7 * sec}},
		},
		{
			name: "several at once take effect", ttl: 12 * sec, lag: 4 * sec,
			renewals: []renewal{{1 * sec, 1 * sec}, {2 * sec, 2 * sec}, {3 * sec, 3 * sec}, {8 * sec, 8 * sec}}, from: 3 * sec,
		},
		{
			// A lag of TTL/3 and a renewal every TTL/6, each answered after 100 ms: the
			// window trails by three renewals.
			name: "steady with a lag of a third", ttl: 12 * sec, lag: 4 * sec,
			renewals: []renewal{
				{2 * sec, 2*sec + 100*time.Millisecond},
				{4 * sec, 4*sec + 100*time.Millisecond},
				{6 * sec, 6*sec + 100*time.Millisecond},
				{8 * sec, 8*sec + 100*time.Millisecond},
				{10 * sec, 10*sec + 100*time.Millisecond},
			},
			from: 4 * sec,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			trust := holdgate.NewTrust(tt.ttl, tt.lag, 0)
			for _, r := range tt.renewals {
				trust.Renewed(r.sent, r.answered)
			}
			deadline := tt.from + tt.ttl - tt.ttl/100
			if got := trust.Deadline(); got != deadline {
				t.Errorf("the deadline is %v; want %v", got, deadline)
			}
			if got, want := trust.TellBy(), deadline-holdgate.Guard(tt.ttl); got != want {
				t.Errorf("holders are told at %v; want %v", got, want)
			}
		})
	}
}

func TestTrustForever(t *testing.T) {
	t.Parallel()
	trust := holdgate.NewTrust(0, 0, 0)
	trust.Renewed(sec, 2*sec)
	if got := trust.Deadline(); got != holdgate.Forever {
		t.Errorf("the deadline is %v; want none", got)
	}
	if got := trust.TellBy(); got != holdgate.Forever {
		t.Errorf("holders are told at %v; want never", got)
	}
}

func TestGuard(t *testing.T) {
	t.Parallel()
	for ttl, want := range map[time.Duration]time.Duration{
		sec:       100 * time.Millisecond,
		2 * sec:   100 * time.Millisecond,
		15 * sec:  750 * time.Millisecond,
		100 * sec: 5 * sec,
	} {
		if got := holdgate.Guard(ttl); got != want {
			t.Errorf("the guard of %v is %v; want %v", ttl, got, want)
		}
	}
}

func TestRenewEvery(t *testing.T) {
	t.Parallel()
	if got := holdgate.RenewEvery(12*sec, 0); got != 3*sec {
		t.Errorf("without a lag every %v; want 3s", got)
	}
	if got := holdgate.RenewEvery(12*sec, sec); got != 2*sec {
		t.Errorf("with a lag every %v; want 2s", got)
	}
}

// startLagging starts a process on a store that takes a renewal into account only some
// time after it answered it.
func startLagging(t testing.TB, store *memdriver.Store, lag time.Duration) *proc {
	t.Helper()
	p := &proc{clock: memdriver.NewSkewClock(), faults: newFaultTable(), events: &eventLog{}}
	p.drv = store.Connect(&memdriver.Options{Faults: p.faults.inject, Clock: p.clock, RenewLag: lag})
	p.open(t, p.drv, nil)
	return p
}

// A store whose renewals take effect late must not be believed for longer than
// it keeps the session. Here every renewal fails but one, which reaches the store
// less than a lag before the session's end, and so in vain; the next is answered in
// time. That the first was *sent* a lag before is no proof that it counts.
func TestLagRenewalInVain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		const lag = 2 * time.Second
		store := memdriver.NewStore()
		a, b := startLagging(t, store, lag), startProc(t, store, nil)
		h := a.mustLock(t, "x")
		opened := time.Now()
		late := []memdriver.Fault{
			{Err: errStoreDown, Delay: 1300 * time.Millisecond},
			{Delay: 2 * time.Second},
		}
		var landed time.Duration
		a.faults.ask(memdriver.OpRenew, func(memdriver.Call) memdriver.Fault {
			switch at := time.Since(opened); {
			case at < 10*time.Second:
				return memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true}
			case len(late) > 0:
				f := late[0]
				late = late[1:]
				f.Applied = func() { landed = time.Since(opened) }
				return f
			}
			return memdriver.Fault{}
		})
		b.lockLater(t.Context(), "x").granted(t, ttl)
		if landed < ttl-lag || landed >= believed {
			t.Errorf("the late renewal landed at %v: this run shows nothing", landed)
		}
		wantLost(t, h, holdgate.LostExpired)
	})
}

// With a lag as long as ZooKeeper's, a third of the TTL, holds live on, and through a
// renewal that fails.
func TestLagKeepsHolds(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		p := startLagging(t, memdriver.NewStore(), ttl/3)
		h := p.mustLock(t, "x")
		for range 4 {
			pass(ttl)
			p.faults.next(memdriver.OpRenew, memdriver.Fault{Lose: memdriver.LoseRequest})
		}
		pass(ttl)
		wantHeld(t, h)
	})
}

// When a lagging store is cut off, the holder is told before the store frees the
// place, whenever the cut comes.
func TestLagLoss(t *testing.T) {
	for cut := range 12 {
		after := time.Duration(cut) * 700 * time.Millisecond
		t.Run(after.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startLagging(t, store, ttl/3), startProc(t, store, nil)
				h := a.mustLock(t, "x")
				w := b.lockLater(t.Context(), "x")
				pass(2*ttl + after)
				a.drv.SetLink(memdriver.LinkHangs)
				w.granted(t, 2*ttl)
				wantLost(t, h, holdgate.LostExpired)
			})
		})
	}
}
