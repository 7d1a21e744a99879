package membership_test

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/membership"
)

func TestMembers(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b, c := start(t, store), start(t, store), start(t, store)
		c.want(t)
		two := b.join(t, "two", "b:2")
		one := a.join(t, "one", `{"addr":"a:1"}`)
		c.want(t, `one={"addr":"a:1"}`, "two=b:2")
		succeed(t, two.Update(t.Context(), ""))
		c.want(t, `one={"addr":"a:1"}`, "two=")
		pass(3 * ttl)
		if !one.Present() || one.Err() != nil || !two.Present() {
			t.Errorf("present %v, %v; %v", one.Present(), one.Err(), two.Present())
		}
		members, err := c.group.Members(t.Context())
		succeed(t, err)
		if m := members[0]; m.Owner != "host" || m.Incarnation != one.Incarnation() || time.Since(m.Joined) != 3*ttl || m.Token <= members[1].Token {
			t.Errorf("member %+v, beside %+v", m, members[1])
		}
		succeed(t, two.Leave(t.Context()))
		c.want(t, `one={"addr":"a:1"}`)
		wantErr(t, two.Err(), membership.ErrLeft)
		wantErr(t, two.Leave(t.Context()), membership.ErrLeft)
		wantErr(t, two.Update(t.Context(), "x"), membership.ErrLeft)
		<-two.Done()
		if two.Present() {
			t.Error("present after it left")
		}
	})
}

// A member that loses its session comes back, with what is newest by then.
func TestS61_ComesBack(t *testing.T) {
	for name, link := range outages() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				m := a.join(t, "one", "old")
				a.drv.SetLink(link)
				pass(2 * ttl)
				b.want(t)
				if m.Present() || m.Err() != nil {
					t.Errorf("away: present %v, %v", m.Present(), m.Err())
				}
				ctx, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				wantErr(t, m.Update(ctx, "newer"), context.DeadlineExceeded)
				waits := make(chan error, 1)
				go func() { waits <- m.Update(t.Context(), "newest") }() // ends when it is written
				pass(time.Second)
				a.drv.SetLink(memdriver.LinkUp)
				pass(healing)
				b.want(t, "one=newest")
				succeed(t, <-waits)
				if !m.Present() {
					t.Error("back, and not present")
				}
			})
		})
	}
}

// The session was ended in the store, or its entry deleted: a renewal or a comparison tells.
func TestS61_EndedInTheStore(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		m := a.join(t, "one", "old")
		succeed(t, m.Update(t.Context(), "newest"))
		store.ExpireSession(a.session(t, "one"))
		b.want(t)
		pass(renewEvery + time.Second)
		b.want(t, "one=newest")
		members, err := b.group.Members(t.Context())
		succeed(t, err)
		store.RemovePlace("workers", members[0].PlaceID)
		b.want(t)
		pass(ttl + time.Second)
		b.want(t, "one=newest")
	})
}

// A member that leaves while it is about to come back stays away, whenever that is.
func TestS62_LeaveWhileComingBack(t *testing.T) {
	for name, link := range outages() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for at := time.Duration(0); at < 6*time.Second; at += 93 * time.Millisecond {
				synctest.Test(t, func(t *testing.T) {
					store := memdriver.NewStore()
					a, b := start(t, store), start(t, store)
					m := a.join(t, "one", "")
					a.drv.SetLink(link)
					pass(2 * ttl)
					a.faults.next(memdriver.OpEnter, -1, memdriver.Fault{Delay: 300 * time.Millisecond, AnswerDelay: 300 * time.Millisecond})
					a.drv.SetLink(memdriver.LinkUp)
					pass(at)
					ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
					defer stop()
					begun := time.Now()
					_ = m.Leave(ctx)
					if took := time.Since(begun); took > 150*time.Millisecond {
						t.Errorf("left at %v: it took %v", at, took)
					}
					pass(3 * ttl)
					b.want(t)
				})
			}
		})
	}
}

// The store has entered the member, and the answer comes when it has left.
func TestS62_AnswerAfterLeave(t *testing.T) {
	for name, fault := range map[string]memdriver.Fault{
		"late":      {AnswerDelay: 2 * time.Second},
		"lost":      {Lose: memdriver.LoseAnswer, Hang: true},
		"under way": {Delay: 2 * time.Second},
		"stray":     {Delay: 2 * time.Second, Stray: true},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				m := a.join(t, "one", "")
				a.faults.next(memdriver.OpEnter, 1, fault)
				store.ExpireSession(a.session(t, "one"))
				pass(renewEvery + time.Second) // it knows, and its Enter is under way
				ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
				defer stop()
				_ = m.Leave(ctx)
				pass(2 * ttl)
				b.want(t)
			})
		})
	}
}

// A process that crashed and was started again within a TTL takes its entry over at once, and
// the end of its old session changes nothing.
func TestS63_StartedAgain(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		old := a.join(t, "one", "old")
		w, _ := b.watch(t)
		w.want(t, "1: one=old")
		pass(time.Second)
		a.kill()
		again := start(t, store)
		m := again.join(t, "one", "new")
		b.want(t, "one=new")
		w.want(t, "2: one=new")
		for range 40 {
			pass(time.Second)
			b.want(t, "one=new")
		}
		w.want(t)
		if line := store.Lines(); len(line) != 1 || len(line[0].Places) != 1 {
			t.Errorf("in the store: %+v", line)
		}
		if old.Incarnation() == m.Incarnation() {
			t.Error("two lives look like one")
		}
	})
}

// Two that live use one ID: the later one stays, the earlier one is told and does not come back.
func TestOlderIsTold(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		old := a.join(t, "one", "old")
		m := b.join(t, "one", "new")
		b.want(t, "one=new")
		pass(renewEvery + time.Second)
		<-old.Done()
		wantErr(t, old.Err(), membership.ErrReplaced, holdgate.ErrLost)
		wantErr(t, old.Update(t.Context(), "x"), membership.ErrReplaced)
		pass(3 * ttl)
		b.want(t, "one=new")
		if !m.Present() {
			t.Errorf("the later one: %v", m.Err())
		}
		if line := store.Lines(); len(line[0].Places) != 1 {
			t.Errorf("in the store: %+v", line)
		}
	})
}

// An earlier one that was cut off finds the later one there, and does not push it out.
func TestOlderWasCutOff(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		old := a.join(t, "one", "old")
		a.drv.SetLink(memdriver.LinkHangs)
		pass(2 * ttl)
		m := b.join(t, "one", "new")
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		wantErr(t, old.Err(), membership.ErrReplaced)
		b.want(t, "one=new")
		if !m.Present() {
			t.Errorf("the later one: %v", m.Err())
		}
	})
}

// One that left is no reason to stay away.
func TestLaterHasLeft(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		a.join(t, "one", "old")
		a.drv.SetLink(memdriver.LinkHangs)
		pass(2 * ttl)
		succeed(t, b.join(t, "one", "new").Leave(t.Context()))
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		b.want(t, "one=old")
	})
}

// Somebody asks a member to go: it goes, and stays away.
func TestEvicted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		m := a.join(t, "one", "")
		e, _ := b.events(t)
		e.want(t, "joined one")
		members, err := b.group.Members(t.Context())
		succeed(t, err)
		succeed(t, b.Evict(t.Context(), "workers", members[0].PlaceID, holdgate.Eviction{Reason: "drained"}))
		<-m.Done()
		wantErr(t, m.Err(), holdgate.ErrLost)
		if text := m.Err().Error(); !strings.Contains(text, "drained") {
			t.Errorf("told %q", text)
		}
		pass(2 * ttl)
		b.want(t)
		e.want(t, "left one")
	})
}

// Leave is not wrong when somebody asks the member to go at the same moment.
func TestLeaveWhileEvicted(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		for range 20 { // what the keeper sees first is up to chance
			m := a.join(t, "one", "")
			pass(time.Second)
			members, err := b.group.Members(t.Context())
			succeed(t, err)
			go func() { _ = b.Evict(t.Context(), "workers", members[0].PlaceID, holdgate.Eviction{}) }() // ends when that is gone
			a.faults.next(memdriver.OpUpdate, -1, memdriver.Fault{Lose: memdriver.LoseRequest, Hang: true})
			_, err = m.Set("news") // which keeps the keeper busy
			succeed(t, err)
			for m.Present() {
				pass(50 * time.Millisecond)
			}
			succeed(t, m.Leave(t.Context()))
			wantErr(t, m.Err(), membership.ErrLeft)
			a.faults.next("", 0, memdriver.Fault{})
			pass(ttl)
			b.want(t)
		}
	})
}

// What is written last is what stays, whoever waits for what.
func TestManyUpdates(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		m := a.join(t, "one", "")
		for round := range 10 {
			a.faults.next(memdriver.OpUpdate, 1, memdriver.Fault{Lose: memdriver.LoseAnswer})
			var all sync.WaitGroup
			for i := range 10 {
				all.Go(func() { succeedOr(t, m.Update(t.Context(), fmt.Sprint(round, " ", i))) })
			}
			all.Wait()
			b.want(t, "one="+m.Data())
		}
	})
}

func succeedOr(t *testing.T, err error) {
	if err != nil {
		t.Error(err)
	}
}

// Lost answers do not make two of one, nor none.
func TestLostAnswers(t *testing.T) {
	for _, op := range []memdriver.Op{memdriver.OpOpen, memdriver.OpEnter, memdriver.OpUpdate, memdriver.OpPut, memdriver.OpLeave} {
		t.Run(string(op), func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				e, _ := b.events(t)
				a.faults.next(op, 1, memdriver.Fault{Lose: memdriver.LoseAnswer})
				m := a.join(t, "one", "old")
				b.want(t, "one=old")
				synctest.Wait()
				succeed(t, m.Update(t.Context(), "new"))
				b.want(t, "one=new")
				synctest.Wait()
				succeed(t, m.Leave(t.Context()))
				b.want(t)
				pass(2 * ttl)
				b.want(t)
				wantLife(t, e)
			})
		})
	}
}

// wantLife checks that a member joined, perhaps changed, and left.
func wantLife(t *testing.T, e *seen) {
	t.Helper()
	e.mu.Lock()
	defer e.mu.Unlock()
	all := strings.Join(e.told, ", ")
	if all != "joined one, changed one, left one" && all != "joined one, left one" {
		t.Errorf("told %q", all)
	}
}

// The end of the client ends its memberships.
func TestClosedClient(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		m := a.join(t, "one", "")
		succeed(t, a.Close(t.Context()))
		<-m.Done()
		wantErr(t, m.Err(), holdgate.ErrClosed)
		b.want(t)
		_, err := a.group.Join(t.Context(), "two", "")
		wantErr(t, err, holdgate.ErrClosed)
		wantErr(t, m.Leave(t.Context()), holdgate.ErrClosed)
	})
}

// Leave does not wait longer than its context lasts, and goes on.
func TestLeaveWhileStoreHangs(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		m := a.join(t, "one", "")
		a.drv.SetLink(memdriver.LinkHangs)
		ctx, stop := context.WithCancel(t.Context())
		stop()
		begun := time.Now()
		wantErr(t, m.Leave(ctx), context.Canceled)
		if took := time.Since(begun); took > 50*time.Millisecond {
			t.Errorf("it took %v", took)
		}
		b.want(t, "one=")
		pass(time.Second)
		a.drv.SetLink(memdriver.LinkUp)
		pass(ttl)
		b.want(t)
	})
}

// Leave with a cancelled context leaves.
func TestLeaveCancelled(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		a, b := start(t, store), start(t, store)
		m := a.join(t, "one", "")
		ctx, stop := context.WithCancel(t.Context())
		stop()
		_ = m.Leave(ctx)
		pass(time.Second)
		b.want(t)
	})
}

// A store that is away when a process joins is told.
func TestJoinWhileAway(t *testing.T) {
	for name, link := range outages() {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				store := memdriver.NewStore()
				a, b := start(t, store), start(t, store)
				a.drv.SetLink(link)
				_, err := a.group.Join(t.Context(), "one", "")
				wantErr(t, err, holdgate.ErrUnavailable)
				ctx, stop := context.WithTimeout(t.Context(), time.Second)
				defer stop()
				begun := time.Now()
				_, err = a.group.Join(ctx, "one", "")
				wantErr(t, err, context.DeadlineExceeded)
				if took := time.Since(begun); took > time.Second+50*time.Millisecond {
					t.Errorf("it took %v", took)
				}
				a.drv.SetLink(memdriver.LinkUp)
				pass(2 * ttl)
				b.want(t)
			})
		})
	}
}

func TestBadInput(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := start(t, store)
		long := strings.Repeat("x", driver.MaxData)
		for name, c := range map[string]struct {
			group, id, data string
			want            error
		}{
			"no ID":          {"g", "", "", holdgate.ErrInvalid},
			"long ID":        {"g", strings.Repeat("x", membership.MaxID+1), "", holdgate.ErrInvalid},
			"NUL in ID":      {"g", "a\x00b", "", holdgate.ErrInvalid},
			"ID not UTF-8":   {"g", "\xff", "", holdgate.ErrInvalid},
			"long data":      {"g", "a", long, holdgate.ErrTooLarge},
			"data not UTF-8": {"g", "a", "\xff", holdgate.ErrInvalid},
			"NUL in data":    {"g", "a", "\x00", holdgate.ErrInvalid},
			"no name":        {"", "a", "", holdgate.ErrInvalidName},
			"NUL in name":    {"a\x00b", "a", "", holdgate.ErrInvalidName},
			"long name":      {strings.Repeat("x", driver.MaxName+1), "a", "", holdgate.ErrInvalidName},
		} {
			if _, err := membership.Of(p.Client, c.group).Join(t.Context(), c.id, c.data); err == nil {
				t.Errorf("%s: no error", name)
			} else {
				wantErr(t, err, c.want)
			}
		}
		m := p.join(t, strings.Repeat("x", membership.MaxID), "good")
		wantErr(t, m.Update(t.Context(), long), holdgate.ErrTooLarge)
		wantErr(t, m.Update(t.Context(), "\xff"), holdgate.ErrInvalid)
		p.want(t, strings.Repeat("x", membership.MaxID)+"=good")
		succeed(t, m.Update(t.Context(), strings.Repeat("x", 3500)))
	})
}

// A name is that of a lock or of a group.
func TestNameOfALock(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		store := memdriver.NewStore()
		p := start(t, store)
		h, err := p.Mutex("workers").Lock(t.Context())
		succeed(t, err)
		_, err = p.group.Join(t.Context(), "one", "")
		wantErr(t, err, holdgate.ErrMismatch)
		p.want(t)
		succeed(t, h.Release(t.Context()))
		p.join(t, "one", "")
		_, err = p.Mutex("workers").Lock(t.Context())
		wantErr(t, err, holdgate.ErrMismatch)
		p.want(t, "one=")
	})
}

// exclusive is a store that has only locks.
type exclusive struct{ driver.Driver }

func (e exclusive) Features() driver.Features {
	f := e.Driver.Features()
	f.Shared = false
	return f
}

func TestOnlyExclusiveLocks(t *testing.T) {
	inBubble(t, func(t *testing.T) {
		client, err := holdgate.New(exclusive{memdriver.New()}, nil)
		succeed(t, err)
		_, err = membership.Of(client, "workers").Join(t.Context(), "one", "")
		wantErr(t, err, holdgate.ErrUnsupported)
		succeed(t, client.Close(t.Context()))
	})
}
