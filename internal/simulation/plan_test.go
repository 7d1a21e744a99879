package simulation_test

import (
	"cmp"
	"slices"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/internal/history"
)

// The latency of the network on a good day, each way.
const (
	simLeast = 20 * time.Microsecond
	simMost  = 3 * time.Millisecond
)

// simPlan is what a seed decides before a run begins. Each kind of fault is on in some
// runs only: a fault that is always there hides what others would show.
type simPlan struct {
	seed      uint64
	ttl       time.Duration
	lag       time.Duration // of the store's RenewLag
	processes int
	workers   int // of each process
	names     []string
	uses      map[string]simUse // by name; nil: all are mutexes
	group     string            // that the processes join; "": none
	storm     time.Duration     // for how long things go wrong
	weather   simWeather
	acts      []simAct
	pause     time.Duration // between acts, on average
	habits    simHabits
}

// simWeather has the probability of each fault of a call.
type simWeather struct {
	loseRequest, loseAnswer float64
	hang                    float64 // of those that are lost
	refuse                  float64
	late                    float64 // requests that take up to two TTLs
	stray                   float64 // of those
	slowAnswer              float64
	wakeEarly               float64
	badHeart                float64 // renewals that fail or take long
}

// tranquil reports whether every renewal and every question is answered at once.
func (p simPlan) tranquil() bool {
	return p.weather == simWeather{} && !slices.ContainsFunc(p.acts, func(a simAct) bool { return a.silences })
}

// simHabits is how workers use locks.
type simHabits struct {
	try, do, cancel float64
	startle         float64 // others give up just when the lock is released
	verify          float64
	longHold        float64
	lower           float64       // writers become readers, leaders tell another value
	all             float64       // several are taken together
	async           float64       // releases that are not waited for
	rest            time.Duration // between two locks, at most; mostly it is far less
	calls           int           // of one worker, before it waits for the end of the storm
}

func newSimPlan(seed uint64) simPlan {
	dice := newDice(seed, "plan")
	p := simPlan{
		seed:      seed,
		ttl:       dice.within(time.Second, 3*time.Second),
		processes: 2 + dice.IntN(3),
		workers:   1 + dice.IntN(3),
		names:     []string{"orders", "stock", "mail"}[:1+dice.IntN(3)*dice.IntN(2)],
	}
	if dice.chance(0.2) {
		p.lag = dice.within(p.ttl/20, p.ttl/3)
	}
	p.storm = dice.within(2*p.ttl, 6*p.ttl)
	p.pause = dice.within(p.ttl/8, 2*p.ttl)
	p.habits = simHabits{
		try: dice.share(0.5, 0.3), do: dice.share(0.5, 0.5), cancel: dice.share(0.6, 0.5), startle: dice.share(0.2, 0.3),
		verify: dice.share(0.3, 0.3), longHold: dice.share(0.9, 0.9),
		rest: dice.about(p.ttl/8, 2*p.ttl), calls: 30,
	}
	if dice.chance(0.8) {
		p.weather = newWeather(dice)
	}
	if p.lag > 0 { // which renewal counts is hardest to tell then
		p.weather.badHeart = dice.share(0.7, 0.9)
	}
	if dice.chance(0.8) {
		p.acts = newActs(dice)
	}
	return p
}

func newWeather(dice simDice) simWeather {
	return simWeather{
		loseRequest: dice.share(0.4, 0.1),
		loseAnswer:  dice.share(0.4, 0.1),
		hang:        dice.share(0.5, 0.5),
		refuse:      dice.share(0.3, 0.1),
		late:        dice.share(0.4, 0.08),
		stray:       dice.share(0.5, 1),
		slowAnswer:  dice.share(0.4, 0.1),
		wakeEarly:   dice.share(0.3, 0.5),
		badHeart:    dice.share(0.3, 0.9),
	}
}

// options are those of one client. Every kind of hand-off meets every other.
func (p simPlan) options(dice simDice, owner string) holdgate.Options {
	o := holdgate.Options{TTL: p.ttl, Owner: owner}
	switch dice.IntN(5) {
	case 0:
		o.Handoff.Strict = true
	case 1:
		o.Handoff.Grants = 1 + dice.IntN(3)
	case 2:
		o.Handoff.Time = dice.about(time.Microsecond, time.Second)
		o.Handoff.Grants = 1 + dice.IntN(holdgate.DefaultHandoffGrants)
	}
	if own := newDice(p.seed, owner+" lingers"); !o.Handoff.Strict && own.chance(0.4) {
		o.Linger = own.about(time.Millisecond, holdgate.MaxLinger)
	}
	return o
}

// passing tells the checker what the options promise to others.
func (p simPlan) passing(o holdgate.Options) *history.Passing {
	bound := &history.Passing{
		Grants: cmp.Or(o.Handoff.Grants, holdgate.DefaultHandoffGrants),
		Time:   cmp.Or(o.Handoff.Time, holdgate.DefaultHandoffTime),
	}
	switch {
	case o.Handoff.Strict:
		return &history.Passing{Grants: 1}
	case o.Linger > 0 && p.tranquil():
		bound.Time = max(bound.Time, calmLatency) // then its watch has told it
	case o.Linger > 0:
		bound.Time = max(bound.Time, lingersBlindly)
	}
	return bound
}

// lingersBlindly is for how long a client may go on to use a place that it keeps, when its watch
// says nothing: see servesAtMost in linger.go.
const lingersBlindly = time.Second

// calmLatency bounds what a call and its answer take when nothing goes wrong.
const calmLatency = 2 * simMost

// latest is how long after the storm something of it may still land.
func (p simPlan) latest() time.Duration { return 2*p.ttl + p.ttl/10 + calmLatency }

// patience is how long a call may take when nothing goes wrong any more: what dead
// clients left has to expire, and a client may have to find out that its session is
// lost.
func (p simPlan) patience() time.Duration { return 3*p.ttl + time.Second }

// reconciled is how long a client takes at most to find out what became of its
// places: it asks once per TTL, by its own clock.
func (p simPlan) reconciled() time.Duration { return p.ttl + p.ttl/100 + 4*calmLatency }
