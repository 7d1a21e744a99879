package chaos

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/holdgate/holdgate/test/chaos/process"
)

// plan is what a seed decides before a run begins.
type plan struct {
	kind      *kind
	seed      uint64
	ttl       time.Duration
	processes int
	workers   int // of each
	names     []string
	habits    process.Habits
	strict    []bool        // by process: whether it passes no lock on among its goroutines
	storm     time.Duration // for how long things go wrong
	// patience is how long a call may take after the storm: what dead clients left has to
	// expire, which takes longer after a change of leader, and a client may have to find
	// out that its session is lost.
	patience time.Duration
	trouble  []trouble
}

// trouble is one fault of a plan.
type trouble struct {
	fault    fault
	on       int // which process or member; see fault.target
	from, to time.Duration
}

// lockNames are those of a run, or the first of them.
var lockNames = []string{"orders", "stock", "mail", "bills", "users", "jobs"}

// newPlan makes the plan of a seed, of faults out of these. tune may change who there is.
func newPlan(k *kind, seed uint64, storm time.Duration, faults []fault, tune func(*plan)) plan {
	dice := process.NewDice(seed, "plan")
	p := plan{
		kind:      k,
		seed:      seed,
		ttl:       time.Duration(2+dice.IntN(3)) * time.Second,
		processes: 3 + dice.IntN(3),
		workers:   4 + dice.IntN(5),
		names:     lockNames[:1+dice.IntN(6)],
		storm:     storm,
		habits: process.Habits{
			Try: dice.Float64() * 0.3, Do: dice.Float64() * 0.5, Cancel: dice.Float64() * 0.4,
			LongHold: math.Pow(dice.Float64(), 3) * 0.5, // mostly few, since they are in the way
			Hold:     dice.About(2*time.Millisecond, 30*time.Millisecond),
			Rest:     dice.About(5*time.Millisecond, 200*time.Millisecond),
		},
	}
	p.ttl += k.longer
	p.habits.Long = 2 * p.ttl
	p.patience = 3*p.ttl + 15*time.Second
	for range p.processes {
		p.strict = append(p.strict, dice.Chance(0.3))
	}
	for _, tune := range []func(*plan){k.tune, tune} {
		if tune != nil {
			tune(&p)
		}
	}
	p.plan(faults)
	return p
}

// plan fills the storm: each process, the members, and the store have one fault after
// the other, and those of one have nothing to do with those of another.
func (p *plan) plan(faults []fault) {
	for i := range p.processes {
		p.sequence(faults, onProcess, func(process.Dice) int { return i }, fmt.Sprint("process ", i))
	}
	p.sequence(faults, onMember, func(d process.Dice) int { return d.IntN(p.kind.choices()) }, "members")
	p.sequence(faults, onStore, func(process.Dice) int { return 0 }, "store")
	slices.SortStableFunc(p.trouble, func(a, b trouble) int { return cmp.Compare(a.from, b.from) })
}

// sequence plans the faults of one kind of target.
func (p *plan) sequence(all []fault, target target, on func(process.Dice) int, name string) {
	dice := process.NewDice(p.seed, name)
	var faults []fault
	for _, f := range all {
		if f.target == target {
			faults = append(faults, f)
		}
	}
	if len(faults) == 0 {
		return
	}
	for at := dice.Within(0, p.ttl); at < p.storm; at += dice.Within(p.ttl/8, p.ttl) {
		f := faults[dice.IntN(len(faults))]
		t := trouble{fault: f, on: on(dice), from: at, to: at}
		if f.lasts != nil {
			t.to = min(at+f.lasts(dice, p.ttl), p.storm)
		}
		p.trouble = append(p.trouble, t)
		at = t.to
	}
}

func (p plan) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s, seed %d: TTL %v, %d processes (strict: %v) of %d goroutines, locks %q, a storm of %v\n%+v\n",
		p.kind.name, p.seed, p.ttl, p.processes, p.strict, p.workers, p.names, p.storm, p.habits)
	for _, t := range p.trouble {
		fmt.Fprintf(&b, "  %6.3f to %6.3f  %s, %s\n", t.from.Seconds(), t.to.Seconds(), t.fault.name, t.fault.target.which(t.on))
	}
	return b.String()
}
