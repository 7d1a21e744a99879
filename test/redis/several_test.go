package redis_test

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/test/proxy"
	"github.com/holdgate/holdgate/test/redisserver"
)

// lanes is how many requests are under way before others gather.
const lanes = 4

// gather calls f at once for each of so many, while the network holds back as many requests as
// go before others gather, and returns when all are done.
func (a *actor) gather(link *proxy.Link, n int, f func(i int)) {
	resume := link.Stall()
	var begun, all sync.WaitGroup
	run := func(f func()) {
		begun.Add(1)
		all.Go(func() { // ends with its call
			begun.Done()
			f()
		})
	}
	for i := range lanes {
		run(func() { _, _ = a.drv.Line(a.t.Context(), fmt.Sprintf("ahead-%d", i)) })
	}
	for i := range n {
		run(func() { f(i) })
	}
	begun.Wait()
	resume()
	all.Wait()
}

// What many ask for at once goes in few scripts, and each is told what came of its own.
func TestManyAtOnceShareScripts(t *testing.T) {
	t.Parallel()
	const lines = 60
	server, link := redisserver.Start(t, redisserver.Options{}), proxy.NewLink(t, proxy.Redis)
	admin, a, other := connect(t, server, nil), newActor(t, server, link, time.Minute), newActor(t, server, nil, time.Minute)
	a.leave(a.take("orders")) // from here on the scripts are known
	claims := make([]driver.Claim, lines)
	for i := range claims {
		claims[i] = mutex(fmt.Sprintf("line-%d", i))
		claims[i].Data = fmt.Appendf(nil, `{"n":%d}`, i)
		switch i % 3 {
		case 1: // taken, and tried
			claims[i].Try = true
			other.take(claims[i].Line)
		case 2: // taken, and waited for
			other.take(claims[i].Line)
		}
	}
	do(t, admin, "CONFIG", "RESETSTAT")
	a.gather(link, lines, func(i int) {
		p, err := a.ses.Enter(t.Context(), claims[i])
		busy, _ := errors.AsType[*driver.BusyError](err)
		switch {
		case i%3 == 1 && (busy == nil || busy.Head.Line != claims[i].Line):
			t.Errorf("a try of %q: got %+v, error %v, want busy by its holder", claims[i].Line, p, err)
		case i%3 != 1 && (err != nil || p.ID != claims[i].ID || p.Line != claims[i].Line || p.Granted != (i%3 == 0)):
			t.Errorf("entering %q: got %+v, error %v", claims[i].Line, p, err)
		}
	})
	if n := calls(t, do(t, admin, "INFO", "commandstats").(string), "evalsha", "eval"); n >= lines+lanes {
		t.Errorf("%d operations took %d scripts", lines+lanes, n)
	}
	for i, c := range claims {
		l, err := other.drv.Line(t.Context(), c.Line)
		if err != nil {
			t.Fatal(err)
		}
		at := l.Find(c.ID)
		if stands := at >= 0; stands == c.Try || stands && string(l.Places[at].Data) != string(c.Data) {
			t.Errorf("in %q stand %+v", c.Line, l.Places)
		}
		if i%3 == 2 {
			other.leave(l.Places[0])
		}
	}
	a.gather(link, lines, func(i int) {
		err := a.ses.Leave(t.Context(), claims[i].Line, claims[i].ID)
		if claims[i].Try && !errors.Is(err, driver.ErrGone) || !claims[i].Try && err != nil {
			t.Errorf("leaving %q: got the error %v", claims[i].Line, err)
		}
	})
	if places, err := a.ses.Present(t.Context()); err != nil || len(places) > 0 {
		t.Errorf("the session has the places %+v left, error %v", places, err)
	}
}

// When the answer is lost none of the callers knows what came of it, and each finds its place
// by asking again.
func TestTheAnswerToManyIsLost(t *testing.T) {
	t.Parallel()
	const lines = 60
	server, link := redisserver.Start(t, redisserver.Options{}), proxy.NewLink(t, proxy.Redis)
	a := newActor(t, server, link, time.Minute)
	a.leave(a.take("orders")) // from here on the scripts are known
	var unknown atomic.Int64
	places := make([]driver.Place, lines)
	again := func(what string, call func() error) {
		for {
			switch err := call(); {
			case errors.Is(err, driver.ErrUnknownOutcome):
				unknown.Add(1)
			case errors.Is(err, driver.ErrUnavailable):
			case err == nil, errors.Is(err, driver.ErrGone):
				return
			default:
				t.Errorf("%s: %v", what, err)
				return
			}
		}
	}
	a.gather(link, lines, func(i int) {
		if i == 0 {
			link.LoseAnswer()
		}
		c := mutex(fmt.Sprintf("line-%d", i))
		again("Enter", func() (err error) { places[i], err = a.ses.Enter(t.Context(), c); return err })
		if places[i].ID != c.ID || !places[i].Granted {
			t.Errorf("got the place %+v, want that of the claim", places[i])
		}
	})
	for _, p := range places {
		l, err := a.drv.Line(t.Context(), p.Line)
		if err != nil || len(l.Places) != 1 || l.Places[0].ID != p.ID || l.Places[0].Order != p.Order {
			t.Errorf("in line stand %+v, error %v, want %+v", l.Places, err, p)
		}
	}
	link.LoseAnswer()
	a.gather(link, lines, func(i int) {
		again("Leave", func() error { return a.ses.Leave(t.Context(), places[i].Line, places[i].ID) })
	})
	t.Logf("%d times the outcome was unknown", unknown.Load())
	if left, err := a.ses.Present(t.Context()); err != nil || len(left) > 0 {
		t.Errorf("the session has the places %+v left, error %v", left, err)
	}
}

// One name that is forbidden is nobody else's concern.
func TestAForbiddenNameAmongMany(t *testing.T) {
	t.Parallel()
	const lines = 60
	server, link := redisserver.Start(t, redisserver.Options{}), proxy.NewLink(t, proxy.Redis)
	rules := []any{"ACL", "SETUSER", "app", "on", ">secret", "+@all", "&*"}
	for _, keys := range []string{
		"deadlines", "counter", "lines", "session:*", "places:*", "marks:*", "line:ahead*", "line:a-*", "order:a-*", "waiting:a-*",
	} {
		rules = append(rules, "~{holdgate}:"+keys)
	}
	do(t, connect(t, server, nil), rules...)
	client := redis.NewClient(&redis.Options{Addr: server.Address(), Dialer: link.Dial, Username: "app", Password: "secret"})
	defer client.Close()
	a := &actor{t: t, drv: newDriver(t, client)}
	a.open(time.Minute)
	a.gather(link, lines, func(i int) {
		name := fmt.Sprintf("a-%d", i)
		if i%10 == 0 {
			name = fmt.Sprintf("b-%d", i)
		}
		p, err := a.ses.Enter(t.Context(), mutex(name))
		switch {
		case strings.HasPrefix(name, "b") && err == nil:
			t.Errorf("entering %q, which is forbidden: got %+v", name, p)
		case strings.HasPrefix(name, "a") && (err != nil || !p.Granted):
			t.Errorf("entering %q: got %+v, error %v", name, p, err)
		}
	})
}

// A full memory refuses new places, and takes back what is held, also when both come at once.
func TestAFullMemoryAmongMany(t *testing.T) {
	t.Parallel()
	const lines = 60
	server, link := redisserver.Start(t, redisserver.Options{}), proxy.NewLink(t, proxy.Redis)
	admin, a := connect(t, server, nil), newActor(t, server, link, time.Minute)
	var held []driver.Place
	for i := range lines / 2 {
		held = append(held, a.take(fmt.Sprintf("held-%d", i)))
	}
	do(t, admin, "CONFIG", "SET", "maxmemory", "1")
	a.gather(link, lines, func(i int) {
		if i%2 == 0 {
			if err := a.ses.Leave(t.Context(), held[i/2].Line, held[i/2].ID); err != nil {
				t.Errorf("Leave: %v", err)
			}
			return
		}
		if _, err := a.ses.Enter(t.Context(), mutex(fmt.Sprintf("free-%d", i))); !errors.Is(err, driver.ErrUnavailable) {
			t.Errorf("Enter: got the error %v, want unavailable", err)
		}
	})
}
