package holdgate_test

import (
	"context"
	"fmt"
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

func (p *proc) mustEnter(t testing.TB, name, value string) *holdgate.Stay {
	t.Helper()
	s, err := p.Presence(name).Enter(t.Context(), value)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// rolls keeps what a presence line has shown.
type rolls struct {
	mu   sync.Mutex
	told []string
	err  error
}

func (p *proc) watchPresence(ctx context.Context, name string) *rolls {
	r := &rolls{}
	go func() { // ends with ctx; the bubble waits for it
		for roll, err := range p.Presence(name).Watch(ctx) {
			var values []string
			for _, place := range roll.Places {
				values = append(values, place.Value)
			}
			text := strings.Join(values, " ")
			if roll.Stale {
				text += " (stale)"
			}
			r.mu.Lock()
			if err != nil {
				r.err = err
			} else {
				r.told = append(r.told, text)
			}
			r.mu.Unlock()
		}
	}()
	return r
}

func (r *rolls) want(t testing.TB, told ...string) {
	t.Helper()
	synctest.Wait()
	r.mu.Lock()
	defer r.mu.Unlock()
	if !slices.Equal(r.told, told) {
		t.Errorf("told %q; want %q", r.told, told)
	}
	r.told = nil
}

func TestPresence(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := startProc(t, store, nil), startProc(t, store, nil)
		ctx, stop := context.WithCancel(t.Context())
		r := b.watchPresence(ctx, "x")
		r.want(t, "")
		one := a.mustEnter(t, "x", "one")
		r.want(t, "one")
		two := b.mustEnter(t, "x", "two")
		r.want(t, "one two")
		again := a.mustEnter(t, "x", "again") // the same client may be there twice
		r.want(t, "one two again")
		if one.Exclusive() || two.Token() <= one.Token() || one.Name() != "x" {
			t.Errorf("exclusive %v, tokens %v and %v", one.Exclusive(), one.Token(), two.Token())
		}
		if err := one.Tell(t.Context(), "ONE"); err != nil {
			t.Error(err)
		}
		r.want(t, "ONE two again")
		pass(3 * ttl)
		r.want(t) // since when they are there is written from the start
		line, err := a.Line(t.Context(), "x")
		if err != nil || time.Since(line.Places[0].Since) != 3*ttl || line.Places[0].Token != one.Token() {
			t.Errorf("it tells %+v, %v", line.Places[0], err)
		}
		for _, s := range []*holdgate.Stay{two, one, again} {
			if err := s.Leave(t.Context()); err != nil {
				t.Error(err)
			}
		}
		wantErr(t, one.Tell(t.Context(), "x"), holdgate.ErrNotHeld)
		synctest.Wait()
		stop()
		synctest.Wait()
		wantErr(t, r.err, context.Canceled)
		wantNothingLeft(t, store)
	})
}

// While the store is away the last roll stands, and is marked within a TTL, also when nothing
// breaks and only nothing comes.
func TestPresenceThroughOutage(t *testing.T) {
	for name, link := range map[string]memdriver.Link{"refuses": memdriver.LinkRefuses, "hangs": memdriver.LinkHangs} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := startProc(t, store, nil), startProc(t, store, nil)
				ctx, stop := context.WithCancel(t.Context())
				defer stop()
				one := a.mustEnter(t, "x", "one")
				r := b.watchPresence(ctx, "x")
				pass(time.Minute)
				r.want(t, "one")
				b.drv.SetLink(link)
				pass(ttl)
				r.want(t, "one (stale)")
				if err := one.Leave(t.Context()); err != nil {
					t.Error(err)
				}
				pass(time.Hour)
				r.want(t)
				b.drv.SetLink(memdriver.LinkUp)
				pass(ttl)
				r.want(t, "")
			})
		})
	}
}

func TestPresenceBadInput(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		for value, kind := range map[string]error{
			"\xff": holdgate.ErrInvalid, "a\x00": holdgate.ErrInvalid,
			strings.Repeat("x", driver.MaxData): holdgate.ErrTooLarge,
		} {
			_, err := p.Presence("x").Enter(t.Context(), value)
			wantErr(t, err, kind)
		}
		_, err := p.Presence("").Enter(t.Context(), "")
		wantErr(t, err, holdgate.ErrInvalidName)
		for _, err := range p.Presence("").Watch(t.Context()) {
			wantErr(t, err, holdgate.ErrInvalidName)
		}
		wantNothingLeft(t, store)
		if n := p.faults.total(); n != 0 {
			t.Errorf("the store was asked %d times", n)
		}
		h := p.mustLock(t, "x")
		_, err = p.Presence("x").Enter(t.Context(), "")
		wantErr(t, err, holdgate.ErrMismatch)
		wantHeld(t, h)
	})
}

// Nobody waits in a presence line, so that one place may be taken inside of another.
func TestPresenceInsideOfItself(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, nil)
		outer, err := p.Presence("x").Enter(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		inner, err := p.Presence("x").Enter(outer.Context(), "two")
		if err != nil {
			t.Fatal(err)
		}
		mustRelease(t, inner.Hold)
		mustRelease(t, outer.Hold)
		wantNothingLeft(t, store)
	})
}

// What a place tells is known before somebody else writes into it: here since when it is held,
// while the caller has not been told yet.
func TestValueIsNotOverwritten(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := startProc(t, store, &holdgate.Options{OnEvent: func(e holdgate.Event) {
			if e.Type == holdgate.EventAcquired {
				time.Sleep(5 * time.Second) // as a process that the machine did not let run
			}
		}})
		lead, err := p.Election("x").Campaign(t.Context(), "one")
		if err != nil {
			t.Fatal(err)
		}
		leader, err := p.Election("x").Leader(t.Context())
		if err != nil || leader.Value != "one" || leader.Since.IsZero() {
			t.Errorf("the leader is %+v, %v", leader, err)
		}
		mustRelease(t, lead.Hold)
	})
}

func ExamplePresence() {
	ctx := context.Background()
	client := open(memdriver.NewStore(), nil)
	defer client.Close(ctx)
	stay, err := client.Presence("workers").Enter(ctx, "idle")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer stay.Leave(ctx)
	for roll, err := range client.Presence("workers").Watch(ctx) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(roll.Places[0].Value, roll.Stale)
		if roll.Places[0].Value == "busy" {
			break
		}
		if err = stay.Tell(ctx, "busy"); err != nil {
			fmt.Println(err)
			return
		}
	}
	// Output:
	// idle false
	// busy false
}
