package holdgate_test

import (
	"context"
	"fmt"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// waitLog keeps what a client was told of its waits, and when.
type waitLog struct {
	mu    sync.Mutex
	begun time.Time
	told  []string
}

func newWaitLog() *waitLog { return &waitLog{begun: time.Now()} }

func (l *waitLog) add(w holdgate.Waiting) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.told = append(l.told, fmt.Sprintf("%v: %s behind %d, held by %s, waited %v",
		time.Since(l.begun), w.Name, w.Ahead, w.Holder.Owner, w.Waited))
}

// want checks what was told since the last call.
func (l *waitLog) want(t testing.TB, want ...string) {
	t.Helper()
	synctest.Wait()
	l.mu.Lock()
	defer l.mu.Unlock()
	if fmt.Sprint(l.told) != fmt.Sprint(want) {
		t.Errorf("told\n%q\nwant\n%q", l.told, want)
	}
	l.told = nil
}

// A waiter is told of holder and places ahead when it begins to wait, and when that
// changed; nothing when nothing changed, and nothing any more when the wait is over.
func TestOnWait(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": {}, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a := startProc(t, store, &holdgate.Options{Owner: "a"})
				b := startProc(t, store, &holdgate.Options{Owner: "b"})
				log := newWaitLog()
				opts := *opts
				opts.OnWait = log.add
				p := startProc(t, store, &opts)

				ha := a.mustLock(t, "x")
				wb := b.lockLater(t.Context(), "x")
				wb.pending(t)
				pass(2 * time.Second) // the holder's "since when" is written
				w := p.lockLater(t.Context(), "x")
				w.pending(t)
				log.want(t, "2s: x behind 2, held by a, waited 0s")
				pass(30 * time.Second)
				log.want(t)
				mustRelease(t, ha)
				hb := wb.granted(t, 0)
				log.want(t, "32s: x behind 1, held by b, waited 30s")
				mustRelease(t, hb)
				h := w.granted(t, 0)
				pass(time.Minute)
				mustRelease(t, h)
				mustRelease(t, p.mustLock(t, "x"))
				log.want(t)
			})
		})
	}
}

// However often the line changes, it is told at most once a second, and the last state
// is told.
func TestOnWaitPace(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		told := 0
		var last holdgate.Waiting
		p := startProc(t, store, &holdgate.Options{OnWait: func(w holdgate.Waiting) { told++; last = w }})
		others := make([]*proc, 50)
		waits := make([]*attempt, len(others))
		for i := range others {
			others[i] = startProc(t, store, &holdgate.Options{Owner: fmt.Sprint("other ", i)})
			waits[i] = others[i].lockLater(t.Context(), "x")
			synctest.Wait()
		}
		w := p.lockLater(t.Context(), "x")
		w.pending(t)
		for _, o := range waits[:49] {
			mustRelease(t, o.granted(t, 0))
			pass(20 * time.Millisecond)
		}
		pass(time.Second)
		if told > 3 {
			t.Errorf("told %d times within two seconds", told)
		}
		if last.Holder.Owner != "other 49" || last.Ahead != 1 {
			t.Errorf("last told of %q and %d ahead; want \"other 49\" and 1", last.Holder.Owner, last.Ahead)
		}
		mustRelease(t, waits[49].hold)
		mustRelease(t, w.granted(t, 0))
	})
}

// A goroutine that waits for another of its own process is told so. What is told goes
// on through an outage of the watch.
func TestOnWaitInOneProcess(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		log := newWaitLog()
		p := startProc(t, store, &holdgate.Options{Owner: "p", OnWait: log.add})
		other := startProc(t, store, &holdgate.Options{Owner: "other"})
		h := p.mustLock(t, "x")
		p.faults.next(memdriver.OpWatch, memdriver.Fault{Err: errStoreDown})
		w := p.lockLater(t.Context(), "x")
		pass(100 * time.Millisecond)
		told := log.take()
		if len(told) != 1 {
			t.Errorf("told %q; want once, after the watch was begun again", told)
		}
		behind := other.lockLater(t.Context(), "x")
		behind.pending(t)
		pass(5 * time.Second)
		told = log.take()
		if len(told) == 0 {
			t.Error("not told of the second in line")
		}
		mustRelease(t, h)
		mustRelease(t, behind.granted(t, 0))
		mustRelease(t, w.granted(t, time.Second))
		log.take()
		pass(time.Minute)
		log.want(t)
	})
}

func (l *waitLog) take() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	told := l.told
	l.told = nil
	return told
}

// Whoever is granted the lock is not told that it waits for itself.
func TestOnWaitIsNotToldOfItsOwnGrant(t *testing.T) {
	for name, opts := range map[string]*holdgate.Options{"local lines": {}, "strict": strict()} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a := startProc(t, store, &holdgate.Options{Owner: "a"})
				log := newWaitLog()
				opts := *opts
				opts.Owner, opts.OnWait = "p", log.add
				p := startProc(t, store, &opts)
				ha := a.mustLock(t, "x")
				w := p.lockLater(t.Context(), "x")
				w.pending(t)
				pass(5 * time.Second)
				log.take()
				store.ExpireSession(store.Sessions()[0])
				h := w.granted(t, time.Second)
				log.want(t)
				pass(ttl)
				wantLost(t, ha, holdgate.LostSession)
				mustRelease(t, h)
			})
		})
	}
}

// It ends when the waiter gives up, and when the client closes. No watch is left.
func TestOnWaitEnds(t *testing.T) {
	for name, end := range map[string]func(t *testing.T, p *proc, cancel context.CancelFunc){
		"given up": func(_ *testing.T, _ *proc, cancel context.CancelFunc) { cancel() },
		"closed":   func(t *testing.T, p *proc, _ context.CancelFunc) { p.Close(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				log := newWaitLog()
				p := startProc(t, store, &holdgate.Options{OnWait: log.add})
				other := startProc(t, store, &holdgate.Options{Owner: "other"})
				h := other.mustLock(t, "x")
				ctx, cancel := context.WithCancel(t.Context())
				defer cancel()
				one, two := p.lockLater(ctx, "x"), p.lockLater(ctx, "x")
				two.pending(t)
				if told := log.take(); len(told) != 1 {
					t.Errorf("told %q; want one for both waiters", told)
				}
				end(t, p, cancel)
				one.refused(t, 0, holdgate.ErrNotAcquired)
				two.refused(t, 0, holdgate.ErrNotAcquired)
				before := p.faults.total(memdriver.OpPush, memdriver.OpWatch)
				mustRelease(t, h)
				mustRelease(t, other.mustLock(t, "x"))
				pass(time.Minute)
				log.want(t)
				if n := p.faults.total(memdriver.OpPush, memdriver.OpWatch); n != before {
					t.Errorf("the line is still watched: %d calls", n-before)
				}
			})
		})
	}
}
