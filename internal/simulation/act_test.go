package simulation_test

import (
	"context"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/internal/history"
)

// simAct is something that happens to a process, or behind everybody's back.
type simAct struct {
	name     string
	silences bool // calls are not answered meanwhile
	do       func(w *simWorld, dice simDice)
}

// simActs are all there are.
var simActs = []simAct{
	{"cut off", true, func(w *simWorld, dice simDice) { w.cutOff(dice, memdriver.LinkHangs) }},
	{"disconnected", true, func(w *simWorld, dice simDice) { w.cutOff(dice, memdriver.LinkRefuses) }},
	{"renewals lost", true, (*simWorld).stopHeart},
	{"stopped", true, (*simWorld).stop},
	{"killed", false, (*simWorld).kill},
	{"restarted", false, (*simWorld).restart},
	{"asked to go", false, (*simWorld).evict},
	{"evicted by force", false, (*simWorld).force},
	{"place removed", false, (*simWorld).remove},
	{"session ended early", false, (*simWorld).expire},
}

// newActs returns the acts of one run.
func newActs(dice simDice) []simAct {
	var some []simAct
	for _, act := range simActs {
		if dice.chance(0.35) {
			some = append(some, act)
		}
	}
	return some
}

// rage is the storm: acts, until its end.
func (w *simWorld) rage() {
	dice := newDice(w.plan.seed, "storm")
	for end := w.begun.Add(w.plan.storm); ; {
		wait := min(dice.within(0, 2*w.plan.pause), time.Until(end))
		if time.Sleep(wait); !time.Now().Before(end) {
			return
		}
		if len(w.plan.acts) > 0 {
			act := w.plan.acts[dice.IntN(len(w.plan.acts))]
			w.count(act.name)
			act.do(w, dice)
		}
	}
}

// pick returns a process that is alive.
func (w *simWorld) pick(dice simDice) *simProcess {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.procs[dice.IntN(len(w.procs))]
}

// spell is how long something lasts, often about as long as a session lives: at most
// until shortly before the end of the storm.
func (w *simWorld) spell(dice simDice) time.Duration {
	d := dice.about(w.plan.ttl/100, 3*w.plan.ttl)
	if dice.chance(0.5) {
		d = dice.within(w.plan.ttl/2, 2*w.plan.ttl)
	}
	return max(0, min(d, w.plan.storm-w.now()-dice.within(1, time.Millisecond)))
}

func (w *simWorld) cutOff(dice simDice, how memdriver.Link) {
	p, d := w.pick(dice), w.spell(dice)
	p.drv.SetLink(how)
	w.wait.Go(func() {
		time.Sleep(d)
		p.drv.SetLink(memdriver.LinkUp)
	})
}

// stopHeart loses all renewals of a process, and nothing else.
func (w *simWorld) stopHeart(dice simDice) {
	p, d := w.pick(dice), w.spell(dice)
	p.heartless.Add(1)
	w.wait.Go(func() {
		time.Sleep(d)
		p.heartless.Add(-1)
	})
}

func (w *simWorld) stop(dice simDice) {
	p, d := w.pick(dice), w.spell(dice)
	if p.busy.CompareAndSwap(false, true) {
		w.wait.Go(func() {
			defer p.busy.Store(false)
			p.pause(d)
		})
	}
}

func (w *simWorld) kill(dice simDice) {
	p, d := w.pick(dice), w.spell(dice)
	if p.busy.CompareAndSwap(false, true) {
		w.wait.Go(func() {
			p.kill()
			time.Sleep(d)
			w.start(p.number, p.life+1)
		})
	}
}

func (w *simWorld) restart(dice simDice) {
	p := w.pick(dice)
	if p.busy.CompareAndSwap(false, true) {
		w.wait.Go(func() {
			p.close()
			w.start(p.number, p.life+1)
		})
	}
}

// place picks a place that stands, if there is one.
func (w *simWorld) place(dice simDice) (driver.Place, bool) {
	lines := w.store.Lines()
	if len(lines) == 0 {
		return driver.Place{}, false
	}
	places := lines[dice.IntN(len(lines))].Places
	return places[dice.IntN(len(places))], true
}

func (w *simWorld) evict(dice simDice) {
	p := w.pick(dice)
	at, ok := w.place(dice)
	if !ok || at.Owner == p.id || p.busy.Load() {
		return
	}
	patience := dice.about(time.Millisecond, 2*w.plan.ttl)
	p.workers.Go(func() { // ends with ctx
		ctx, stop := p.within(patience)
		defer stop()
		p.record(history.Event{Kind: history.Evict, Name: at.Line, Place: at.ID})
		_ = p.client.Evict(ctx, at.Line, at.ID, holdgate.Eviction{Reason: "simulated"})
	})
}

func (w *simWorld) force(dice simDice) {
	if at, ok := w.place(dice); ok {
		w.broken(at, w.noticed(at))
		if err := w.god.Evict(context.Background(), at.Line, at.ID, driver.Eviction{Force: true}); err != nil {
			panic(err) // it stood just now
		}
	}
}

func (w *simWorld) remove(dice simDice) {
	if at, ok := w.place(dice); ok {
		w.broken(at, w.noticed(at))
		w.store.RemovePlace(at.Line, at.ID)
	}
}

// expire ends a session before its time. Its client is told by its next renewal or, if
// none gets through, has less than a TTL left to believe.
func (w *simWorld) expire(dice simDice) {
	sessions := w.store.Sessions()
	if len(sessions) == 0 {
		return
	}
	id := sessions[dice.IntN(len(sessions))]
	for _, line := range w.store.Lines() {
		for _, at := range line.Places {
			if at.Session == id {
				w.broken(at, w.now()+w.plan.ttl)
			}
		}
	}
	w.store.ExpireSession(id)
}

// broken notes that a place is taken away. Only if it was granted somebody may
// believe in it.
func (w *simWorld) broken(at driver.Place, until time.Duration) {
	if at.Granted {
		w.log.Add(history.Event{At: w.now(), Kind: history.Broken, Name: at.Line, Place: at.ID, Until: until})
	}
}

// noticed is until when a client finds out that a place of its session was removed:
// when it asks the store what it has, which may not work before the storm is over.
func (w *simWorld) noticed(driver.Place) time.Duration {
	if w.plan.tranquil() {
		return w.now() + w.plan.reconciled()
	}
	return w.plan.storm + w.plan.latest() + w.plan.reconciled()
}

func (a simAct) String() string { return a.name }
