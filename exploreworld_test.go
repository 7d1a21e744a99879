package holdgate_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// explored is what is explored: who takes the lock how often, and what may happen to them.
type explored struct {
	processes [][]int // how often each goroutine of each process takes the lock
	options   holdgate.Options
	expiry    bool // a process may be stopped for longer than its session lives, once
	givesUp   bool // a goroutine that waits may give up, once
}

// world is one run: the real code of a few processes over a memory store, of which only one
// takes a step at a time. A step is a call that reaches the store, an answer that reaches
// its caller, or what a goroutine does next. Between two steps everybody else has done
// what they can.
type world struct {
	explored
	store *memdriver.Store
	procs []*exploredProc
	actor []*actor

	mu      sync.Mutex
	gates   map[string]chan struct{} // who is about to take which step
	inStore map[string]bool          // waits that the store knows of
	names   map[string]string        // of places, in the order in which they came
	grants  []grantSeen
	waiting []string // who waits for the lock, in the order in which they came
	over    bool     // the run has ended: no gate holds anybody up
	wrong   string
	expired string // whose session was lost, if it was: "", or of which process
	gaveUp  bool
}

type grantSeen struct {
	place string
	token holdgate.Token
}

type exploredProc struct {
	name   string
	clock  *memdriver.SkewClock
	drv    *memdriver.Driver
	client *holdgate.Client

	// Under the world's mutex:

	session string // the newest
	paused  bool
}

// actor is a goroutine that takes the lock and gives it back.
type actor struct {
	name   string
	proc   *exploredProc
	rounds int
	ctx    context.Context
	cancel context.CancelFunc

	// Under the world's mutex:

	doing string // what it did last
	hold  *holdgate.Hold
	gone  bool // it is done
}

const lockExplored = "x"

// newWorld begins a run. It ends with the test's bubble, after end.
func newWorld(t *testing.T, what explored) *world {
	t.Helper()
	w := &world{
		explored: what, store: memdriver.NewStore(),
		gates: make(map[string]chan struct{}), inStore: make(map[string]bool), names: make(map[string]string),
	}
	for i, goroutines := range what.processes {
		p := &exploredProc{name: string(rune('A' + i)), clock: memdriver.NewSkewClock()}
		p.drv = w.store.Connect(&memdriver.Options{Clock: p.clock, Faults: func(c memdriver.Call) memdriver.Fault { return w.onCall(p, c) }})
		options := what.options
		options.Owner = p.name
		var err error
		if p.client, err = holdgate.New(p.drv, &options); err != nil {
			t.Fatal(err)
		}
		w.procs = append(w.procs, p)
		for n, rounds := range goroutines {
			a := &actor{name: fmt.Sprint(p.name, n+1), proc: p, rounds: rounds}
			a.ctx, a.cancel = context.WithCancel(t.Context())
			w.actor = append(w.actor, a)
			go w.act(a) // ends with its rounds, or with the run
		}
	}
	return w
}

// act is what a goroutine does.
func (w *world) act(a *actor) {
	defer w.note(func() { a.gone = true })
	for round := range a.rounds {
		w.step(fmt.Sprint(a.name, " locks ", round))
		w.note(func() { a.doing, w.waiting = "waits", append(w.waiting, a.name) })
		h, err := a.proc.client.Mutex(lockExplored).Lock(a.ctx)
		w.note(func() { w.waiting = slices.DeleteFunc(w.waiting, func(name string) bool { return name == a.name }) })
		if err != nil {
			w.note(func() {
				a.doing = "refused"
				if !w.over && !errors.Is(err, context.Canceled) {
					w.wrong = fmt.Sprintf("%s was refused: %v", a.name, err)
				}
			})
			continue
		}
		w.granted(a, h)
		w.step(fmt.Sprint(a.name, " releases ", round))
		w.note(func() { a.doing, a.hold = "releasing", nil })
		err = h.Release(a.ctx)
		w.note(func() {
			a.doing = "released"
			lost := errors.Is(err, holdgate.ErrLost) && w.expired == a.proc.name
			if err != nil && !lost && !w.over && a.ctx.Err() == nil {
				w.wrong = fmt.Sprintf("the release of %s answered %v", a.name, err)
			}
		})
	}
}

func (w *world) note(f func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f()
}

// granted notes a grant, and looks whether it may be.
func (w *world) granted(a *actor, h *holdgate.Hold) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a.doing, a.hold = "holds", h
	g := grantSeen{w.place(h.PlaceID()), h.Token()}
	if n := len(w.grants); n > 0 && g.token != 0 && g.token <= w.grants[n-1].token {
		w.wrong = fmt.Sprintf("%s was granted with token %v after %v", a.name, g.token, w.grants[n-1].token)
	}
	w.grants = append(w.grants, g)
	served := 0
	for _, other := range w.grants {
		if other.place == g.place {
			served++
		}
	}
	if served > w.options.Handoff.Grants {
		w.wrong = fmt.Sprintf("%s is grant %d of place %s", a.name, served, g.place)
	}
}

// step waits until it is this one's turn.
func (w *world) step(name string) {
	turn := make(chan struct{})
	w.mu.Lock()
	for w.gates[name] != nil {
		name += "'" // a second one of the kind
	}
	over := w.over
	if !over {
		w.gates[name] = turn
	}
	w.mu.Unlock()
	if !over {
		<-turn
	}
}

// onCall makes a step of every call about the lock, and another one of its answer, if there is
// something in it. What a client does for itself, such as to renew, is at once.
func (w *world) onCall(p *exploredProc, c memdriver.Call) memdriver.Fault {
	switch c.Op {
	case memdriver.OpEnter, memdriver.OpWait, memdriver.OpSwap, memdriver.OpLeave:
	default:
		return memdriver.Fault{}
	}
	w.mu.Lock()
	p.session = c.Session
	name := fmt.Sprint(p.name, " ", c.Op, " ", w.place(c.PlaceID))
	w.mu.Unlock()
	w.step(name)
	w.note(func() { w.inStore[name] = true })
	return memdriver.Fault{Applied: func() {
		w.note(func() { delete(w.inStore, name) })
		if c.Op != memdriver.OpLeave { // of which nobody makes anything but that it is over
			w.step(name + " answered")
		}
	}}
}

// place is what a place is called in this run. The caller has the mutex.
func (w *world) place(id string) string {
	if w.names[id] == "" {
		w.names[id] = fmt.Sprint("p", len(w.names)+1)
	}
	return w.names[id]
}

// steps are those that may be next, in order.
func (w *world) steps() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	var steps []string
	for name := range w.gates {
		if p := w.procOf(name); !p.paused && !w.symmetric(name) {
			steps = append(steps, name)
		}
	}
	slices.Sort(steps)
	for _, p := range w.procs {
		switch {
		case p.paused:
			steps = append(steps, p.name+" goes on")
		case w.expiry && w.expired == "" && p.session != "" && len(w.gates) > 0:
			steps = append(steps, p.name+" is stopped for a TTL")
		}
	}
	for _, a := range w.actor {
		if w.givesUp && !w.gaveUp && a.doing == "waits" {
			steps = append(steps, a.name+" gives up")
		}
	}
	return steps
}

// symmetric reports whether the same happens with two names exchanged: the goroutines of a
// process begin in order, and the first of all is of the first process.
func (w *world) symmetric(name string) bool {
	for i, a := range w.actor {
		if name != a.name+" locks 0" || i == 0 {
			continue
		}
		before := w.actor[i-1]
		same := before.proc == a.proc && before.rounds == a.rounds
		return same && w.gates[before.name+" locks 0"] != nil
	}
	return false
}

func (w *world) procOf(step string) *exploredProc {
	return w.procs[step[0]-'A']
}

// take takes a step, and lets everybody do what they can.
func (w *world) take(step string) {
	p := w.procOf(step)
	switch step[1:] {
	case " is stopped for a TTL":
		w.note(func() { p.paused, w.expired = true, p.name })
		w.stop(p)
	case " goes on":
		p.paused = false
		p.clock.Resume()
		p.clock.SetRate(1)
	default:
		w.mu.Lock()
		if turn := w.gates[step]; turn != nil {
			delete(w.gates, step)
			close(turn)
		} else {
			w.gaveUp = true
			w.actorOf(step).cancel()
		}
		w.mu.Unlock()
	}
	synctest.Wait()
}

// stop stops a process for longer than its session lives. For the others no time passes: what
// they have under way does not come too late.
func (w *world) stop(p *exploredProc) {
	const instant = time.Microsecond
	p.clock.Pause()
	p.clock.SetRate(float64(2 * holdgate.DefaultTTL / instant))
	time.Sleep(instant)
	for _, s := range w.store.Sessions() {
		if p.session == s {
			w.store.ExpireSession(s)
		}
	}
}

func (w *world) actorOf(step string) *actor {
	i := slices.IndexFunc(w.actor, func(a *actor) bool { return a.name+" gives up" == step })
	return w.actor[i]
}

// end lets everything go to its end, whatever it is.
func (w *world) end() {
	w.mu.Lock()
	w.over = true
	for name, turn := range w.gates {
		delete(w.gates, name)
		close(turn)
	}
	w.mu.Unlock()
	for _, a := range w.actor {
		a.cancel()
	}
	for _, p := range w.procs {
		p.clock.Resume()
		_ = p.client.Close(context.Background())
		_ = p.drv.Close()
	}
}
