package membership_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/membership"
)

func TestWatch(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		w, cancel := b.watch(t)
		w.want(t, "1: ")
		one := a.join(t, "one", "old")
		w.want(t, "2: one=old")
		pass(ttl)
		w.want(t) // nothing that is shown has changed
		two := b.join(t, "two", "")
		w.want(t, "3: one=old two=")
		succeed(t, one.Update(t.Context(), "new"))
		w.want(t, "4: one=new two=")
		succeed(t, two.Leave(t.Context()))
		w.want(t, "5: one=new")
		succeed(t, one.Leave(t.Context()))
		w.want(t, "6: ")
		cancel()
		w.ended(t, context.Canceled)
		closed, _ := b.watch(t)
		closed.want(t, "1: ")
		succeed(t, b.Close(t.Context()))
		closed.ended(t, holdgate.ErrClosed)
	})
}

// A watcher that is cut off keeps its list, marked as stale, and then catches up: nobody is
// gone for that, and the list is not empty.
func TestS64_WatcherIsCutOff(t *testing.T) {
	for name, link := range outages() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				one := a.join(t, "one", "old")
				a.join(t, "two", "")
				w, _ := b.watch(t)
				e, _ := b.events(t)
				w.want(t, "1: one=old two=")
				e.want(t, "joined one", "joined two")
				b.drv.SetLink(link)
				pass(ttl)
				w.want(t, "1: one=old two= (stale)")
				pass(time.Hour)
				w.want(t)
				b.drv.SetLink(memdriver.LinkUp)
				pass(ttl)
				w.want(t, "1: one=old two=")
				b.drv.SetLink(link)
				succeed(t, one.Update(t.Context(), "new"))
				pass(ttl)
				w.want(t, "1: one=old two= (stale)")
				b.drv.SetLink(memdriver.LinkUp)
				pass(ttl)
				w.want(t, "2: one=new two=")
				e.want(t, "changed one")
			})
		})
	}
}

// A watcher that does not reach the store at first yields nothing, rather than none.
func TestWatchBeginsInOutage(t *testing.T) {
	for name, link := range outages() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				a.join(t, "one", "")
				b.drv.SetLink(link)
				w, _ := b.watch(t)
				pass(time.Minute)
				w.want(t)
				b.drv.SetLink(memdriver.LinkUp)
				pass(ttl)
				w.want(t, "1: one=")
			})
		})
	}
}

// What happens to members, one after the other.
func TestEvents(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, c := start(t, store), start(t, store), start(t, store)
		a.join(t, "one", "")
		e, cancel := c.events(t)
		e.want(t, "joined one")
		two := b.join(t, "two", "old")
		e.want(t, "joined two")
		succeed(t, two.Update(t.Context(), "new"))
		e.want(t, "changed two")
		succeed(t, two.Leave(t.Context()))
		e.want(t, "left two")
		a.kill()
		pass(ttl + time.Second)
		e.want(t, "lost one")
		a = start(t, store)
		a.join(t, "one", "")
		e.want(t, "joined one")
		a.kill()
		start(t, store).join(t, "one", "")
		e.want(t, "lost one", "joined one") // another process, which knows nothing of the first
		pass(2 * ttl)
		e.want(t)
		cancel()
		e.ended(t, context.Canceled)
	})
}

// A member that was cut off is lost, and joins again when it is back.
func TestEventsOfOneThatComesBack(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		a.join(t, "one", "")
		e, _ := b.events(t)
		e.want(t, "joined one")
		a.drv.SetLink(memdriver.LinkHangs)
		pass(2 * ttl)
		e.want(t, "lost one")
		a.drv.SetLink(memdriver.LinkUp)
		pass(healing)
		e.want(t, "joined one")
	})
}

// Who left while nobody could see it has left, not died; after ten minutes nobody knows.
func TestLeftUnseen(t *testing.T) {
	for wait, want := range map[time.Duration]string{5 * time.Minute: "left one", 15 * time.Minute: "lost one"} {
		t.Run(wait.String(), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				m := a.join(t, "one", "")
				e, _ := b.events(t)
				e.want(t, "joined one")
				b.drv.SetLink(memdriver.LinkRefuses)
				succeed(t, m.Leave(t.Context()))
				pass(wait)
				e.want(t)
				b.drv.SetLink(memdriver.LinkUp)
				pass(ttl)
				e.want(t, want)
			})
		})
	}
}

// A goodbye that the store does not take makes a member look lost, and does not keep it.
func TestGoodbyeRefused(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"refused": {Err: driver.ErrDenied},
		"away":    {Lose: memdriver.LoseRequest},
		"hangs":   {Lose: memdriver.LoseRequest, Hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				m := a.join(t, "one", "")
				e, _ := b.events(t)
				e.want(t, "joined one")
				a.faults.next(memdriver.OpPut, -1, fault)
				begun := time.Now()
				succeed(t, m.Leave(t.Context()))
				if took := time.Since(begun); took > 6*time.Second {
					t.Errorf("it took %v", took)
				}
				e.want(t, "lost one")
			})
		})
	}
}

// One lost packet does not make a member look lost.
func TestGoodbyeIsRepeated(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"lost":  {Lose: memdriver.LoseRequest},
		"hangs": {Lose: memdriver.LoseRequest, Hang: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				m := a.join(t, "one", "")
				e, _ := b.events(t)
				e.want(t, "joined one")
				a.faults.next(memdriver.OpPut, 1, fault)
				b.faults.next(memdriver.OpGet, 1, fault)
				succeed(t, m.Leave(t.Context()))
				pass(10 * time.Second)
				e.want(t, "left one")
			})
		})
	}
}

// keyless is a store without a map.
type keyless struct{ driver.Driver }

func (k keyless) Features() driver.Features {
	f := k.Driver.Features()
	f.KV = false
	return f
}

// Without a map nobody can say goodbye.
func TestEventsWithoutMap(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client, err := holdgate.New(keyless{memdriver.New()}, nil)
		succeed(t, err)
		p := &proc{Client: client, group: membership.Of(client, "workers")}
		e, cancel := p.events(t)
		m, err := p.group.Join(t.Context(), "one", "")
		succeed(t, err)
		e.want(t, "joined one")
		succeed(t, m.Leave(t.Context()))
		e.want(t, "lost one")
		cancel()
		e.ended(t, context.Canceled)
		succeed(t, client.Close(t.Context()))
	})
}

// What others put in the line is no member, and in nobody's way.
func TestOthersInTheLine(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := start(t, store)
		for _, value := range []string{"", "me", "{}", `{"id":"x"}`, `{"id":"","join":"y"}`, `["x"]`, strings.Repeat("{", 1000)} {
			stay, err := p.Presence("workers").Enter(t.Context(), value)
			succeed(t, err)
			defer func() { succeed(t, stay.Leave(context.Background())) }()
		}
		p.join(t, "one", "")
		p.want(t, "one=")
	})
}
