package chaos

import (
	"time"

	"github.com/holdgate/holdgate/internal/mutation"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// mutant is a mistake that somebody could make, and the storm that brings it to light.
type mutant struct {
	name string
	// mistakes are mutants of package mutation, by name; edits are those of a driver, by
	// the store.
	mistakes []string
	edits    map[string][]mutation.Edit
	// hiddenBy are stores with which it does not show.
	hiddenBy []string
	// faults are those of the storm, by name.
	faults []string
	// tune makes a plan one in which the mistake matters; nil changes nothing.
	tune func(p *plan)
	// lasts is for how long each of them does, nil when that is left to the fault.
	lasts func(process.Dice, time.Duration) time.Duration
	// rules are those of which the mistake breaks one at least.
	rules []string
	// quickly is the store on which a plain go test looks for it, too; "" is none.
	quickly string
}

// mutants are the mistakes, by the invariant of ARCHITECTURE.md that each one breaks.
var mutants = []mutant{
	{
		name:     "I1: a lost session's place granted",
		mistakes: []string{"a lost session's place granted"},
		faults:   []string{"session ended"},
		rules:    []string{"register"},
	},
	{
		name:     "I2: only the timer tells of expiry",
		mistakes: []string{"only the timer tells of expiry"},
		faults:   []string{"process stopped"},
		lasts:    pastTTL,
		tune: func(p *plan) {
			holdLong(p)
			p.habits.Spin = 0.3
		},
		rules: []string{"exclusive", "standing"},
	},
	{
		name:     "I3: deadline counted from the answer, and no guard",
		mistakes: []string{"deadline counted from the answer", "guard removed"},
		faults:   []string{"slow, then silent"},
		// The lag that is counted off there, and the tick by which it frees late, cover it.
		hiddenBy: []string{"zk"},
		tune: func(p *plan) {
			p.ttl, p.storm = 4*time.Second, 12*time.Second
			holdLong(p)
		},
		rules: []string{"standing"},
	},
	{
		name:     "I3: an expired session closed before its holders had the guard",
		mistakes: []string{"an expired session closed before its holders had the guard"},
		faults:   []string{"too slow to renew"},
		// Whoever hears nothing makes a new connection there before it says anything more.
		hiddenBy: []string{"zk", "redis"},
		lasts:    pastTTL,
		tune:     holdLong,
		rules:    []string{"guarded"},
	},
	{
		name:     "I4: what may stand is not left",
		mistakes: []string{"what may stand is not left"},
		tune: func(p *plan) {
			crowd(p)
			p.patience = 3 * p.ttl
		},
		rules: []string{"ends"},
	},
	{
		name:     "I6: equal tokens on local hand-off",
		mistakes: []string{"equal tokens on local hand-off"},
		tune: func(p *plan) {
			for i := range p.strict {
				p.strict[i] = false
			}
			p.storm = time.Second
		},
		rules:   []string{"tokens"},
		quickly: "redis",
	},
	{
		name:     "I7: a stale release without the ID",
		mistakes: []string{"a stale release without the ID"},
		faults:   []string{"session ended"},
		tune: func(p *plan) { // others of the process are granted while one stops what it does
			alone(p)
			p.names = lockNames[:2]
		},
		rules: []string{"standing", "exclusive"},
	},
	{
		name: "I8: the end of the place ahead taken for a grant",
		edits: map[string][]mutation.Edit{
			"etcd": {{
				File: "driver/etcddriver/turn.go",
				From: "\t\tcase l.granted(i):\n\t\t\treturn l.place(i), nil\n",
				To:   "\t\tcase len(held) > 0:\n\t\t\tnow := l.place(i)\n\t\t\tnow.Granted = true\n\t\t\treturn now, nil\n",
			}},
			"redis": {{
				File: "driver/redisdriver/lua/place.lua",
				From: "    if at[2] + units > tonumber(at[1]) then\n      return\n    end\n",
				To:   "",
			}},
			"zk": {{
				File: "driver/zkdriver/wait.go",
				From: "w.own != nil && w.beyond == nil && w.ahead.removed",
				To:   "w.own != nil && w.ahead.removed",
			}},
		},
		tune:  crowd,
		rules: []string{"exclusive"},
	},
	{
		name:     "I9: a release whose answer was lost is called a loss",
		mistakes: []string{"a release whose answer was lost is called a loss"},
		faults:   []string{"requests late"},
		lasts:    brief,
		tune: func(p *plan) { // releases are under way at any time
			alone(p)
			strict(p)
		},
		rules: []string{"true losses"},
	},
	{
		name: "tokens that begin anew when all was forgotten",
		edits: map[string][]mutation.Edit{
			"failover": {{
				File: "driver/redisdriver/lua/order.lua",
				From: "local micros = time[1] .. string.format('%06d', time[2])",
				To:   "local micros = '1'",
			}},
		},
		faults: []string{"primary killed"},
		rules:  []string{"fenced"},
	},
}

// holdLong has every process hold a lock or two at any time, for as long as faults take.
func holdLong(p *plan) {
	p.names = lockNames
	p.habits.LongHold, p.habits.Long = 0.8, 4*p.ttl
	p.habits.Try, p.habits.Cancel = 0, 0
	for i := range p.strict {
		p.strict[i] = false
	}
}

// alone leaves one process, whose goroutines hold all locks at any time.
func alone(p *plan) {
	holdLong(p)
	p.processes, p.strict = 1, p.strict[:1]
	p.habits.Long = p.ttl / 2
}

// crowd has many places wait in one line, and some give up.
func crowd(p *plan) {
	p.storm /= 2
	p.names = p.names[:1]
	p.habits.Cancel, p.habits.Try, p.habits.LongHold = 0.5, 0, 0
	strict(p)
}

// strict has every hold have a place of its own.
func strict(p *plan) {
	for i := range p.strict {
		p.strict[i] = true
	}
}

// pastTTL is longer than a session lives.
func pastTTL(dice process.Dice, ttl time.Duration) time.Duration {
	return dice.Within(ttl*11/10, 2*ttl)
}
