package simulation_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/membership"
)

// memberSeeds is how many schedules are run unless HOLDGATE_MEMBER_SEEDS says otherwise.
func memberSeeds() uint64 {
	if raceDetector {
		return 8
	}
	return leastMemberSeeds
}

// leastMemberSeeds is how many schedules get everywhere.
const leastMemberSeeds = 80

// TestMembers is TestSimulation with a group that the processes join, change and leave while
// things go wrong. When all is calm again those are there that have joined and not left, with
// what they said last; nobody else has a place; and all who watch know it.
func TestMembers(t *testing.T) {
	first, last := uint64(1), fromEnv(t, "HOLDGATE_MEMBER_SEEDS", memberSeeds())
	if one := fromEnv(t, "HOLDGATE_SEED", 0); one > 0 {
		first, last = one, one
	}
	onOneProcessor(t)
	reached := make(history.Tally)
	for seed := first; seed <= last; seed++ {
		out := simulate(t, newMemberPlan(seed))
		if len(out.violations) > 0 {
			t.Fatal(reportOf("TestMembers", out, first == last))
		}
		reached.Add(out.counts)
	}
	t.Logf("%d schedules: %v", last-first+1, reached)
	if first > 1 || last < leastMemberSeeds {
		return
	}
	for what, least := range map[string]int{
		"joined": 500, "could not join": 20, "changed": 500, "left": 100, "goes on leaving": 20,
		"asked to leave": 5, "there in the end": 100, "away in the end": 20, "stale": 20,
	} {
		if reached[what] < least {
			t.Errorf("%q was reached %d times, want at least %d", what, reached[what], least)
		}
	}
}

// newMemberPlan is a plan with little locking, and a group.
func newMemberPlan(seed uint64) simPlan {
	p := newSimPlan(seed)
	p.workers, p.names, p.group = 1, []string{"orders"}, "fleet"
	return p
}

// simMember is the part that a process takes in the group. In each life it has the same ID.
type simMember struct {
	proc  *simProcess
	id    string
	dice  simDice
	group membership.Group
	self  *membership.Membership // nil when it is no member
	said  string                 // last
	says  int
}

// member starts the member of a process, and one that looks on.
func (p *simProcess) member() {
	m := &simMember{
		proc: p, id: fmt.Sprint("p", p.number), dice: newDice(p.world.plan.seed, p.id+"/member"),
		group: membership.Of(p.client, p.world.plan.group),
	}
	seen := &simSeen{}
	p.observers.Go(func() { seen.look(p, m.group) }) // ends with the process
	p.workers.Go(func() {                            // ends by itself, or with the process
		m.run()
		if m.settle() {
			m.judge(seen)
			m.proc.sleep(p.world.plan.ttl) // the others judge at about the same time
		}
		if m.self != nil {
			_ = m.self.Leave(p.ctx)
		}
	})
}

// run does this and that for as long as the storm lasts.
func (m *simMember) run() {
	w := m.proc.world
	for m.proc.sleep(m.dice.about(simLeast, w.plan.ttl)) && w.stormy() {
		ctx, stop := m.proc.within(m.dice.about(simLeast, 2*w.plan.ttl))
		m.act(ctx)
		stop()
	}
}

func (m *simMember) act(ctx context.Context) {
	if m.self != nil && m.self.Err() != nil {
		m.proc.count("asked to leave")
		m.self = nil
	}
	switch {
	case m.self == nil:
		m.join(ctx)
	case m.dice.chance(0.25):
		m.leave(ctx)
	default:
		m.says++
		said := fmt.Sprint(m.proc.id, " says ", m.says)
		switch err := m.self.Update(ctx, said); {
		case err == nil:
			m.proc.count("changed")
			m.said = said
		case m.self.Err() == nil: // it is written later
			m.said = said
		}
	}
}

func (m *simMember) join(ctx context.Context) {
	self, err := m.group.Join(ctx, m.id, m.proc.id)
	if err != nil {
		m.proc.count("could not join")
		return
	}
	m.proc.count("joined")
	m.self, m.said = self, m.proc.id
}

func (m *simMember) leave(ctx context.Context) {
	if m.self.Leave(ctx) == nil {
		m.proc.count("left")
	} else {
		m.proc.count("goes on leaving")
	}
	m.self = nil
}

// settle becomes a member or leaves, for good, once the storm is over, and waits until all is
// calm and everybody must know. It reports false when the process ended.
func (m *simMember) settle() bool {
	w := m.proc.world
	select {
	case <-w.calm:
	case <-m.proc.ctx.Done():
		return false
	}
	if m.dice.chance(0.7) {
		for m.self == nil && m.proc.ctx.Err() == nil {
			m.join(m.proc.ctx)
		}
	} else if m.self != nil {
		m.leave(m.proc.ctx)
	}
	select {
	case <-w.settled:
		return m.proc.sleep(w.plan.patience())
	case <-m.proc.ctx.Done():
		return false
	}
}

// judge compares what is there with what is to be there.
func (m *simMember) judge(seen *simSeen) {
	w := m.proc.world
	line, err := w.god.Line(context.Background(), w.plan.group)
	if err != nil {
		panic(err) // nothing goes wrong with this handle
	}
	var mine []string
	for _, p := range line.Places {
		if strings.Contains(string(p.Data), `\"id\":\"`+m.id+`\"`) {
			mine = append(mine, string(p.Data))
		}
	}
	now, err := m.group.Members(m.proc.ctx)
	if err != nil {
		m.object("the members are not told: %v", err)
		return
	}
	i := slices.IndexFunc(now, func(other membership.Member) bool { return other.ID == m.id })
	switch is := m.self != nil && m.self.Err() == nil; {
	case !is && m.self != nil && !asked(m.self.Err()):
		m.object("it was not asked to go, and has: %v", m.self.Err())
	case !is:
		m.proc.count("away in the end")
		if i >= 0 || len(mine) > 0 {
			m.object("it has left, and is there: %q", mine)
		}
	case i < 0 || len(mine) != 1 || now[i].Incarnation != m.self.Incarnation():
		m.object("it is not there once, as itself: %q", mine)
	case now[i].Data != m.said:
		m.object("it says %q, and is told to say %q", m.said, now[i].Data)
	case !m.self.Present():
		m.object("it is there, and does not know")
	default:
		m.proc.count("there in the end")
	}
	if last := seen.last; last.Stale || !slices.Equal(last.Members, now) {
		m.object("it sees %+v, and there is %+v", last, now)
	}
}

// asked reports whether a member has ended because somebody wanted it to: an operator, or one
// of a later life, of which a request may also be late.
func asked(err error) bool {
	var lost *holdgate.LostError
	return errors.Is(err, membership.ErrReplaced) || errors.As(err, &lost) && lost.Reason == holdgate.LostEvicted
}

func (m *simMember) object(format string, args ...any) {
	if !m.proc.dead.Load() {
		m.proc.world.object("members", m.proc.id+": "+format, args...)
	}
}

// simSeen is what one that looks on has seen last.
type simSeen struct{ last membership.Snapshot }

func (s *simSeen) look(p *simProcess, g membership.Group) {
	var revision uint64
	for now, err := range g.Watch(p.ctx) {
		switch {
		case err != nil:
			return
		case now.Stale:
			p.count("stale")
		}
		if now.Revision < revision || now.Revision == revision && !slices.Equal(now.Members, s.last.Members) {
			p.world.object("members", "revision %d after %d", now.Revision, revision)
		}
		revision, s.last = now.Revision, now
	}
}

// ofGroup reports whether a line is one in which nobody holds anything.
func (p simPlan) ofGroup(line driver.Line) bool { return line.Name == p.group }
