package simulation_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
	"github.com/holdgate/holdgate/internal/history"
)

// simProcess is one life of a process: a client, its handle and clock, and workers.
type simProcess struct {
	world  *simWorld
	number int
	life   int
	id     string
	clock  *memdriver.SkewClock
	drv    *memdriver.Driver
	client *holdgate.Client

	ctx       context.Context // ends when the process does
	cancel    context.CancelFunc
	workers   sync.WaitGroup
	observers sync.WaitGroup
	busy      atomic.Bool  // it is being stopped or ended
	dead      atomic.Bool  // what it does from now on, nobody sees
	heartless atomic.Int32 // how many reasons there are for no renewal to get through

	mu    sync.Mutex
	calls map[memdriver.Call]int // how often each was made
	holds []*simHold             // that workers have, and have not begun to release
	waits []*simCall             // that may be granted at any moment
}

// start begins a life of the process of this number.
func (w *simWorld) start(number, life int) {
	p := &simProcess{
		world: w, number: number, life: life,
		id:    fmt.Sprintf("p%d.%d", number, life),
		clock: memdriver.NewSkewClock(),
		calls: make(map[memdriver.Call]int),
	}
	dice := newDice(w.plan.seed, p.id)
	// Two clocks may differ by 1 %, so each may by half of that.
	p.clock.SetRate(1 + (dice.Float64()-0.5)*0.0099)
	p.drv = w.store.Connect(&memdriver.Options{Faults: p.fault, Clock: p.clock, RenewLag: w.plan.lag})
	p.ctx, p.cancel = context.WithCancel(context.Background())

	options := w.plan.options(dice, p.id)
	options.OnEvent = func(e holdgate.Event) { p.count(string(e.Type)) }
	if dice.chance(0.2) {
		options.OnWait = func(holdgate.Waiting) { p.count("told whom it waits for") }
	}
	p.record(history.Event{Kind: history.Start, TTL: options.TTL, Passing: w.plan.passing(options)})
	var err error
	if p.client, err = holdgate.New(p.drv, &options); err != nil {
		panic(err) // the plan makes only valid options
	}
	w.mu.Lock()
	w.procs[number] = p
	w.lives = append(w.lives, p)
	w.mu.Unlock()
	for n := range w.plan.workers {
		k := newSimWorker(p, n)
		p.workers.Go(k.run) // ends by itself, or with the process
	}
	p.observe()
	if w.plan.group != "" {
		p.member()
	}
}

// record adds an event to the history, unless the process is dead.
func (p *simProcess) record(e history.Event) {
	if p.dead.Load() {
		return
	}
	e.At, e.Client = p.world.now(), p.id
	p.world.log.Add(e)
}

// count is for the statistics.
func (p *simProcess) count(what string) {
	if !p.dead.Load() {
		p.world.count(what)
	}
}

// sleep waits on the process's own clock, and reports false when it ended.
func (p *simProcess) sleep(d time.Duration) bool {
	over := make(chan struct{})
	defer p.clock.AfterFunc(d, func() { close(over) })()
	select {
	case <-over:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// pause stops the process for a while.
func (p *simProcess) pause(d time.Duration) {
	p.clock.Pause()
	p.record(history.Event{Kind: history.Stop})
	time.Sleep(d)
	p.goOn()
}

// goOn lets a process that was stopped run again. What its holds say now, before any
// of its timers ran, counts as what its workers believe.
func (p *simProcess) goOn() {
	p.record(history.Event{Kind: history.Resume})
	p.clock.Resume()
	p.mu.Lock()
	holds := append([]*simHold(nil), p.holds...)
	p.mu.Unlock()
	for _, h := range holds {
		h.shown()
	}
}

// kill ends the process without a word. Its goroutines run on, as memory that nobody
// reads any more: they reach neither the store nor the history.
func (p *simProcess) kill() {
	p.record(history.Event{Kind: history.Stop})
	p.end()
}

// end takes the process out of the world.
func (p *simProcess) end() {
	p.dead.Store(true)
	_ = p.drv.Close()
	p.clock.Resume()
	p.cancel()
	p.workers.Wait()
	p.observers.Wait()
	_ = p.client.Close(context.Background())
}

// close closes the client while its workers are at work, and waits for them.
func (p *simProcess) close() {
	patience := p.world.plan.ttl
	ctx, stop := p.within(patience)
	defer stop()
	p.record(history.Event{Kind: history.Close, Until: p.world.now() + patience + patience/100 + 50*time.Millisecond})
	err := p.client.Close(ctx)
	p.record(history.Event{Kind: history.Closed, Why: why(err)})
	p.cancel()
	p.workers.Wait()
	p.observers.Wait()
	_ = p.drv.Close()
}
