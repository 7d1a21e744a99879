package chaos

import (
	"fmt"
	"syscall"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
	"github.com/holdgate/holdgate/test/proxy"
)

// slot is a client process and all that came before it in its place, with its network.
type slot struct {
	run    *run
	number int
	links  []*proxy.Proxy // to each endpoint
	config process.Config // what all of its lives are told
	lives  []*life        // the last one is alive
}

func newSlot(r *run, number int) (*slot, error) {
	s := &slot{run: r, number: number, config: process.Config{
		Seed: r.plan.seed, Register: r.file("register"),
		TTL: r.plan.ttl, Strict: r.plan.strict[number], Workers: r.plan.workers,
		Names: r.plan.names, Habits: r.plan.habits,
	}}
	r.store.config(&s.config)
	for i, endpoint := range s.config.Endpoints {
		p, err := proxy.Start(endpoint, r.plan.kind.protocol)
		if err != nil {
			return nil, err
		}
		r.tb.Cleanup(func() { p.Close() })
		s.links = append(s.links, p)
		s.config.Endpoints[i] = p.Address()
	}
	return s, nil
}

func (s *slot) now() *life { return s.lives[len(s.lives)-1] }

// start begins another life.
func (s *slot) start() error {
	r := s.run
	c := s.config
	c.ID = fmt.Sprintf("p%d.%d", s.number, len(s.lives)+1)
	c.History = r.file(c.ID + ".jsonl")
	l, err := startLife(r.tb, r.client, c)
	if err != nil {
		return err
	}
	s.lives = append(s.lives, l)
	return nil
}

func (r *run) stopProcess(t trouble) (func() error, error) {
	l := r.slots[t.on].now()
	r.log.Add(history.Event{At: process.Now(), Kind: history.Stop, Client: l.id})
	return func() error {
		r.log.Add(history.Event{At: process.Now(), Kind: history.Resume, Client: l.id})
		_ = l.signal(syscall.SIGCONT) // one that has died by itself is judged in the end
		return nil
	}, l.signal(syscall.SIGSTOP)
}

func (r *run) killProcess(t trouble) (func() error, error) {
	s := r.slots[t.on]
	l := s.now()
	at := process.Now()
	if err := l.signal(syscall.SIGKILL); err != nil {
		return nil, err
	}
	l.killed = at
	r.log.Add(history.Event{At: at, Kind: history.Stop, Client: l.id})
	<-l.exited
	return s.start, nil
}
