package chaos

import (
	"fmt"
	"time"

	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/proxy"
)

// fault is something that goes wrong.
type fault struct {
	name   string
	target target
	// lasts is for how long, nil when it is over at once.
	lasts func(dice process.Dice, ttl time.Duration) time.Duration
	// begin brings it about, and returns what ends it, nil when nothing has to.
	begin func(r *run, t trouble) (end func() error, err error)
}

// target is what a fault happens to.
type target int

const (
	onProcess target = iota // trouble.on is its number
	onMember                // trouble.on is its number, or leader
	onStore
)

// leader stands for whichever member leads when the time has come. No other has its number.
const leader = 3

func (t target) which(on int) string {
	switch {
	case t == onProcess:
		return fmt.Sprint("process ", on)
	case t == onStore:
		return "the store"
	case on == leader:
		return "the leader"
	}
	return fmt.Sprint("member ", on)
}

// aboutTTL is often shorter than a session lives without renewals, often longer.
func aboutTTL(dice process.Dice, ttl time.Duration) time.Duration { return dice.Within(ttl/3, 2*ttl) }

// twiceTTL is long enough to lose everything.
func twiceTTL(_ process.Dice, ttl time.Duration) time.Duration { return 2 * ttl }

// brief is shorter than a session lives.
func brief(dice process.Dice, ttl time.Duration) time.Duration { return dice.Within(ttl/10, ttl*9/10) }

// sharedFaults are those that can go wrong with every store.
func sharedFaults() []fault {
	return append(linkFaults(),
		fault{"process stopped", onProcess, aboutTTL, (*run).stopProcess},
		fault{"process killed", onProcess, brief, (*run).killProcess},
		fault{"member killed", onMember, brief, (*run).killMember},
		fault{"member stopped", onMember, aboutTTL, (*run).stopMember},
		fault{"session ended", onStore, nil, (*run).endSession},
	)
}

// linkFaults are those of the network between a process and the members.
func linkFaults() []fault {
	return []fault{
		{"cut off", onProcess, aboutTTL, onLinks(func(_ *run, _ trouble, p *proxy.Proxy) func() { return p.Cut() })},
		{"black hole", onProcess, aboutTTL, onLinks(func(_ *run, _ trouble, p *proxy.Proxy) func() {
			requests, answers := p.Stall(proxy.Requests), p.Stall(proxy.Answers)
			return func() { requests(); answers() }
		})},
		{"answers lost", onProcess, aboutTTL, onLinks(func(_ *run, _ trouble, p *proxy.Proxy) func() { return p.Stall(proxy.Answers) })},
		{"requests late", onProcess, aboutTTL, onLinks(func(_ *run, _ trouble, p *proxy.Proxy) func() { return p.Stall(proxy.Requests) })},
		{"slow", onProcess, aboutTTL, onLinks(func(_ *run, t trouble, p *proxy.Proxy) func() {
			late := (t.to - t.from) / 20
			p.Delay(proxy.Requests, late)
			p.Delay(proxy.Answers, late)
			return func() { p.Delay(proxy.Requests, 0); p.Delay(proxy.Answers, 0) }
		})},
		{"too slow to renew", onProcess, aboutTTL, onLinks(func(r *run, _ trouble, p *proxy.Proxy) func() {
			// One trip is in time, the two of a renewal are not.
			p.Delay(proxy.Answers, r.plan.ttl*3/20)
			return func() { p.Delay(proxy.Answers, 0) }
		})},
		{"slow, then silent", onProcess, twiceTTL, onLinks(slowThenSilent)},
		// Of a single one it is another form of "answers lost".
		{"one member out of reach", onProcess, aboutTTL, func(r *run, t trouble) (func() error, error) {
			links := r.slots[t.on].links
			return quietly(links[int(t.from)%len(links)].Stall(proxy.Answers)), nil
		}},
		{"answer eaten", onProcess, nil, onLinks(func(_ *run, _ trouble, p *proxy.Proxy) func() {
			p.EatAnswer()
			return nil
		})},
	}
}

// slowThenSilent makes answers so late that renewals only just succeed, and then lets no
// request through, but the answers to those that went before: all trust hangs on the last
// renewal, and on when it was sent.
func slowThenSilent(r *run, _ trouble, p *proxy.Proxy) func() {
	const trips = 8 // to the store and back, that renewals in a TTL have room for
	ttl := r.plan.ttl
	p.Delay(proxy.Answers, ttl/trips*3/4)
	silence := make(chan func(), 1)
	timer := time.AfterFunc(ttl*2/3, func() {
		silence <- p.Stall(proxy.Requests)
	})
	return func() {
		if !timer.Stop() {
			(<-silence)()
		}
		p.Delay(proxy.Answers, 0)
	}
}

// onLinks does something to all links of a process, and undoes it.
func onLinks(do func(_ *run, t trouble, p *proxy.Proxy) (undo func())) func(r *run, t trouble) (func() error, error) {
	return func(r *run, t trouble) (func() error, error) {
		var undo []func()
		for _, p := range r.slots[t.on].links {
			undo = append(undo, do(r, t, p))
		}
		return func() error {
			for _, u := range undo {
				if u != nil {
					u()
				}
			}
			return nil
		}, nil
	}
}

// quietly makes of what cannot fail something that does not.
func quietly(f func()) func() error { return func() error { f(); return nil } }
