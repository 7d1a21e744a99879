package simulation_test

import (
	"fmt"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// fault decides what goes wrong with a call of the process. Even when nothing does,
// request and answer take their time, so that calls overtake one another.
func (p *simProcess) fault(c memdriver.Call) memdriver.Fault {
	dice := p.diceFor(c)
	f := memdriver.Fault{
		Delay:       dice.about(simLeast, simMost),
		AnswerDelay: dice.about(simLeast, simMost),
	}
	if p.world.stormy() {
		p.spoil(c, &f, dice)
	}
	return f
}

// diceFor returns the dice of a call. What becomes of it depends on what it is, and
// not on which of two calls of one moment came first.
func (p *simProcess) diceFor(c memdriver.Call) simDice {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.calls[c]++
	return newDice(p.world.plan.seed, fmt.Sprint(p.id, c, p.calls[c]))
}

func (p *simProcess) spoil(c memdriver.Call, f *memdriver.Fault, dice simDice) {
	w := p.world.plan.weather
	switch heart := c.Op == memdriver.OpOpen || c.Op == memdriver.OpRenew; {
	case c.Op == memdriver.OpRenew && p.heartless.Load() > 0:
		f.Lose = memdriver.LoseRequest
		return
	case c.Op == memdriver.OpOpen && p.heartless.Load() > 0:
		// All belief that there will be hangs on this one, and on when it was sent.
		f.AnswerDelay = dice.about(simMost, p.world.plan.ttl/3)
		return
	case heart && dice.chance(w.badHeart):
		p.spoilRenewal(f, dice)
		return
	}
	waits := c.Op == memdriver.OpWait || c.Op == memdriver.OpPush || c.Op == memdriver.OpWatch
	switch {
	case dice.chance(w.loseRequest):
		f.Lose = memdriver.LoseRequest
		p.count("request lost")
	case dice.chance(w.loseAnswer):
		f.Lose = memdriver.LoseAnswer
		p.count("answer lost")
	case dice.chance(w.refuse):
		f.Err = driver.ErrUnavailable
		p.count("call refused")
	}
	// A wake-up may be lost with an error, never without: a driver looks again.
	if f.Lose != memdriver.LoseNothing && !waits && dice.chance(w.hang) {
		f.Hang = true
		p.count("call hangs")
	}
	if !waits && dice.chance(w.late) {
		f.Delay = dice.about(simMost, 2*p.world.plan.ttl)
		f.Stray = dice.chance(w.stray)
		p.count("request late")
	}
	if dice.chance(w.slowAnswer) {
		f.AnswerDelay = dice.about(simMost, p.world.plan.ttl/2)
		p.count("answer slow")
	}
	if c.Op == memdriver.OpWait && dice.chance(w.wakeEarly) {
		f.WakeEarly = true
		p.count("woken early")
	}
}

// spoilRenewal lets a renewal, or an Open, fail or makes it so slow that it only just succeeds: what
// is believed then hangs on the last one, and on when it was sent.
func (p *simProcess) spoilRenewal(f *memdriver.Fault, dice simDice) {
	p.count("renewal spoilt")
	switch dice.IntN(4) {
	case 0:
		f.Lose = memdriver.LoseRequest
	case 1:
		f.Lose = memdriver.LoseAnswer
	case 2:
		f.Delay = dice.about(simMost, p.world.plan.ttl/4)
	case 3:
		f.AnswerDelay = dice.about(simMost, p.world.plan.ttl/4)
	}
}
