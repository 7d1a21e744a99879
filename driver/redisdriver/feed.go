package redisdriver

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
)

// feed is the one subscription of a handle: to the channels that somebody here listens
// to. It is restored whenever it breaks, and each time it has been, the listeners are told:
// what was published meanwhile, nobody heard.
type feed struct {
	d *Driver
	// heard is when the server last said anything, in nanoseconds.
	heard atomic.Int64
	// poke has a token when there is something to tell the server.
	poke chan struct{}

	mu     sync.Mutex
	topics map[topic]*channel
	// told are the channels that the server has been asked for.
	told    map[topic]*channel
	ps      *redis.PubSub // nil until somebody listens
	stopped bool
}

// topic is a channel, or a pattern of channels.
type topic struct {
	name    string
	pattern bool
}

// channel is a topic that somebody listens to.
type channel struct {
	listeners []listener
	live      bool // the server has confirmed, on the connection that there is
}

// listener hears what is published. Its methods are called one at a time, and return at
// once.
type listener interface {
	// subscribed says that from here on everything is heard.
	subscribed()
	// told hands on a message.
	told(channel, message string)
	// cut says that what is published now is not heard.
	cut()
}

func newFeed(d *Driver) *feed {
	return &feed{
		d: d, poke: make(chan struct{}, 1),
		topics: make(map[topic]*channel), told: make(map[topic]*channel),
	}
}

// join has l hear a topic.
func (f *feed) join(t topic, l listener) {
	f.mu.Lock()
	c := f.topics[t]
	if c == nil {
		c = &channel{}
		f.topics[t] = c
	}
	c.listeners = append(c.listeners, l)
	live, first := c.live, f.ps == nil && !f.stopped
	if first {
		f.ps = f.d.subscriber.Subscribe(f.d.ctx)
	}
	f.mu.Unlock()
	if first {
		f.d.task(f.speak) // ends with the handle
	}
	f.wake()
	if live {
		l.subscribed()
	}
}

// leave ends that. It need not have joined.
func (f *feed) leave(t topic, l listener) {
	f.mu.Lock()
	defer f.mu.Unlock()
	c := f.topics[t]
	if c == nil {
		return
	}
	// A copy: the listeners may be being told.
	c.listeners = slices.DeleteFunc(slices.Clone(c.listeners), func(other listener) bool { return other == l })
	if len(c.listeners) == 0 {
		delete(f.topics, t)
		f.wake()
	}
}

func (f *feed) wake() {
	select {
	case f.poke <- struct{}{}:
	default:
	}
}

// Whoever says nothing for silentAfter is asked for a word; who says nothing for as long
// again is hung up on: the connection may be dead without anybody knowing.
const silentAfter = 3 * time.Second

// speak tells the server what to publish to us, and asks it whether it is there. It is
// apart from listening, since it may have to wait for a connection.
func (f *feed) speak() {
	f.ask()            // before listening: a cluster's client connects to where these channels are
	f.d.task(f.listen) // ends with the handle
	tick := time.NewTicker(silentAfter / 2)
	defer tick.Stop()
	for {
		select {
		case <-f.poke:
			f.ask()
		case <-tick.C:
			f.check()
		case <-f.d.ctx.Done():
			f.hangUp(nil)
			return
		}
	}
}

// ask subscribes to what was joined, and unsubscribes from what was left. An error needs
// no care: what is subscribed to by then is asked for again with the next connection.
func (f *feed) ask() {
	ps, wanted, unwanted := f.news()
	tell(f.d.ctx, wanted, ps.Subscribe, ps.PSubscribe)
	tell(f.d.ctx, unwanted, ps.Unsubscribe, ps.PUnsubscribe)
}

func (f *feed) news() (ps *redis.PubSub, wanted, unwanted []topic) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for t, c := range f.topics {
		if f.told[t] != c { // left and joined again meanwhile: it has to be confirmed again
			wanted = append(wanted, t)
			f.told[t] = c
		}
	}
	for t := range f.told {
		if f.topics[t] == nil {
			unwanted = append(unwanted, t)
			delete(f.told, t)
		}
	}
	return f.ps, wanted, unwanted
}

type command func(ctx context.Context, names ...string) error

func tell(ctx context.Context, topics []topic, exact, pattern command) {
	var names, patterns []string
	for _, t := range topics {
		if t.pattern {
			patterns = append(patterns, t.name)
		} else {
			names = append(names, t.name)
		}
	}
	if names != nil {
		_ = exact(ctx, names...)
	}
	if patterns != nil {
		_ = pattern(ctx, patterns...)
	}
}

// check asks for a word, or gives the connection up.
func (f *feed) check() {
	f.mu.Lock()
	ps, idle := f.ps, len(f.topics) == 0
	f.mu.Unlock()
	switch silent := time.Now().UnixNano() - f.heard.Load(); {
	case idle:
		return
	case silent > int64(2*silentAfter):
		f.heard.Store(time.Now().UnixNano())
		f.hangUp(f.d.subscriber.Subscribe(f.d.ctx))
		f.wake()
	case silent > int64(silentAfter):
		_ = ps.Ping(f.d.ctx) // its error shows where we listen
	}
}

// hangUp puts another subscription in the place of the one there is, or none.
func (f *feed) hangUp(next *redis.PubSub) {
	f.mu.Lock()
	old := f.ps
	clear(f.told)
	f.ps, f.stopped = next, next == nil
	f.mu.Unlock()
	_ = old.Close()
}

// retryListen bounds how long to wait before the next attempt to connect.
const (
	firstRetry = 10 * time.Millisecond
	lastRetry  = time.Second
)

// listen hears what the server says.
func (f *feed) listen() {
	f.heard.Store(time.Now().UnixNano())
	retry := firstRetry
	for {
		f.mu.Lock()
		ps, stopped := f.ps, f.stopped
		f.mu.Unlock()
		if stopped {
			return
		}
		said, err := ps.Receive(f.d.ctx)
		if err == nil {
			f.heard.Store(time.Now().UnixNano())
			f.hear(said)
			retry = firstRetry
			continue
		}
		f.broke()
		if !f.d.pause(retry/2 + rand.N(retry/2)) {
			return
		}
		retry = min(2*retry, lastRetry)
	}
}

func (f *feed) hear(said any) {
	switch m := said.(type) {
	case *redis.Subscription:
		if m.Kind == "subscribe" || m.Kind == "psubscribe" {
			f.confirmed(topic{name: m.Channel, pattern: m.Kind == "psubscribe"})
		}
	case *redis.Message:
		t := topic{name: m.Channel}
		if m.Pattern != "" {
			t = topic{name: m.Pattern, pattern: true}
		}
		for _, l := range f.listeners(t) {
			l.told(m.Channel, m.Payload)
		}
	}
}

func (f *feed) listeners(t topic) []listener {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c := f.topics[t]; c != nil {
		return slices.Clone(c.listeners)
	}
	return nil
}

func (f *feed) confirmed(t topic) {
	f.mu.Lock()
	var all []listener
	if c := f.topics[t]; c != nil && f.told[t] == c {
		c.live = true
		all = slices.Clone(c.listeners)
	}
	f.mu.Unlock()
	for _, l := range all {
		l.subscribed()
	}
}

// broke notes that the connection is gone. The client connects anew by itself.
func (f *feed) broke() {
	f.mu.Lock()
	var all []listener
	for _, c := range f.topics {
		c.live = false
		all = append(all, c.listeners...)
	}
	f.mu.Unlock()
	for _, l := range all {
		l.cut()
	}
}
