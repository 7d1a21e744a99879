package chaos

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"slices"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver/redisdriver"
	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/chaos/witness"
	"github.com/holdgate/holdgate/test/redisserver"
)

// failoverKind is Redis with a replica, and three sentinels that make it the primary when
// that one is silent for a second. What had not reached the replica is forgotten, and two
// may believe. So the judges ask only whether tokens tell them apart.
func failoverKind() *kind {
	return &kind{
		name: "failover", start: startFailover, members: 1, judge: judgeFenced, reaches: []string{twoBelieved},
		tune: forFailover,
		faults: []fault{
			{"process stopped", onProcess, aboutTTL, (*run).stopProcess},
			{"process killed", onProcess, brief, (*run).killProcess},
			{"primary stopped", onMember, twiceTTL, (*run).stopMember},
			{"primary killed", onMember, brief, (*run).killMember},
		},
	}
}

// forFailover has locks be held when primaries go. Nobody passes one on in its process: that
// gives grants by a place that the store may have forgotten.
func forFailover(p *plan) {
	strict(p)
	p.habits.LongHold = 0.3
}

// failoverStore is a primary, a replica and their sentinels. Nothing is kept on disk.
type failoverStore struct {
	sentinels *redisserver.Sentinels
	sentinel  *redis.SentinelClient
	admin     *redis.Client
	look      *redisdriver.Driver
}

func startFailover(r *run) store {
	s := &failoverStore{sentinels: redisserver.StartSentinels(r.tb)}
	s.sentinel = redis.NewSentinelClient(&redis.Options{Addr: s.sentinels.Addresses()[0]})
	r.tb.Cleanup(func() { _ = s.sentinel.Close() })
	s.admin = redis.NewFailoverClient(&redis.FailoverOptions{
		MasterName: s.sentinels.Name, SentinelAddrs: s.sentinels.Addresses(),
		DialTimeout: adminIn, ContextTimeoutEnabled: true,
	})
	r.tb.Cleanup(func() { _ = s.admin.Close() })
	var err error
	s.look, err = redisdriver.New(s.admin, nil)
	r.must(err)
	r.tb.Cleanup(func() { _ = s.look.Close() })
	return s
}

func (s *failoverStore) config(c *process.Config) {
	c.Store, c.Endpoints, c.Primary = "sentinel", s.sentinels.Addresses(), s.sentinels.Name
}

// member is the primary, as the sentinels have it.
func (s *failoverStore) member(ctx context.Context, _ int) (member, error) {
	address, err := s.sentinel.GetMasterAddrByName(ctx, s.sentinels.Name).Result()
	if err != nil {
		return nil, err
	}
	for _, server := range []*redisserver.Server{s.sentinels.Primary, s.sentinels.Replica} {
		if server.Address() == net.JoinHostPort(address[0], address[1]) {
			return server, nil
		}
	}
	return nil, fmt.Errorf("the sentinels name %q, which is no server", address)
}

func (s *failoverStore) endSession(context.Context, int) error { return nil }

// healthy asks for a write: a primary that was replaced still answers what it can read.
func (s *failoverStore) healthy(ctx context.Context) error {
	_, err := s.look.Line(ctx, "nobody's")
	return err
}

func (s *failoverStore) left(ctx context.Context) ([]leftover, error) {
	return redisLeft(ctx, s.look, s.admin)
}

func (s *failoverStore) witness() watcher { return nobody{} }

// nobody watches: what a failover forgets is in no log that counts.
type nobody struct{}

func (nobody) Revoke(string)                                                { /* nobody to tell */ }
func (nobody) Stop(context.Context, time.Duration) ([]history.Event, error) { return nil, nil }
func (nobody) Silences() []witness.Silence                                  { return nil }

// judgeFenced asks for what a failover leaves: everybody ends, and tokens protect.
func judgeFenced(o outcome) verdict {
	v := verdict{violations: slices.Clone(o.objects)}
	for _, violation := range history.Check(o.events) {
		switch violation.Rule {
		case "sound", "ends", "closed":
			v.violations = append(v.violations, violation)
		}
	}
	v.violations = append(v.violations, fenced(o.events)...)
	return v
}

// claimed is what is known of one call of Lock that was granted.
type claimed struct {
	hold, name string
	asked, at  time.Duration
	token      uint64
}

// fenced: who asks after another one was granted has a larger token, so that from its first
// write on the resource refuses the other's; and no two have the same.
func fenced(events []history.Event) []history.Violation {
	asked := make(map[string]time.Duration)
	byName := make(map[string][]claimed)
	for _, e := range events {
		switch e.Kind {
		case history.Ask:
			asked[e.Hold] = e.At
		case history.Grant:
			byName[e.Name] = append(byName[e.Name], claimed{e.Hold, e.Name, asked[e.Hold], e.At, e.Token})
		}
	}
	var violations []history.Violation
	for _, grants := range byName {
		violations = append(violations, unfenced(grants)...)
	}
	slices.SortFunc(violations, func(a, b history.Violation) int { return cmp.Compare(a.At, b.At) })
	return violations
}

// unfenced are the breaches among the grants of one name, in order of time.
func unfenced(grants []claimed) (violations []history.Violation) {
	object := func(late, early claimed) {
		violations = append(violations, history.Violation{Rule: "fenced", At: late.at, Text: fmt.Sprintf(
			"%s asked for %q at %v and was granted token %d, %s had been granted %d at %v",
			late.hold, late.name, late.asked, late.token, early.hold, early.token, early.at)})
	}
	byToken := make(map[uint64]claimed)
	byAsk := slices.SortedFunc(slices.Values(grants), func(a, b claimed) int { return cmp.Compare(a.asked, b.asked) })
	var largest claimed
	for _, c := range byAsk {
		for len(grants) > 0 && grants[0].at < c.asked {
			if grants[0].token > largest.token {
				largest = grants[0]
			}
			grants = grants[1:]
		}
		if largest.hold != "" && c.token <= largest.token {
			object(c, largest)
		}
		if other, ok := byToken[c.token]; ok {
			object(c, other)
		}
		byToken[c.token] = c
	}
	return violations
}
