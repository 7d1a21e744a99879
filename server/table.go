package server

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// errMisdirected: the store cannot carry sessions on, and this one is not here.
var errMisdirected = errors.New("this session is not known here, and the store does not let another server carry it on")

// table has the sessions that this server carries on. It is a cache where the store lets
// another server carry a session on, and all there is where it does not.
type table struct {
	s     *Server
	names *names

	mu   sync.Mutex
	byID map[string]*entry // the store's ID
}

// entry is one session.
type entry struct {
	id     string
	caller string
	ttl    time.Duration // that of the session, or the server's own where the store has none
	ready  chan struct{} // closed once ses or err is set
	ses    driver.Session
	err    error

	mu     sync.Mutex
	used   time.Time
	inUse  int
	places map[string]struct{} // that were entered here, for the caller's quota; nil once it was given back
	overtaken
}

func newTable(s *Server) *table {
	return &table{s: s, names: newNames(s.kv), byID: make(map[string]*entry)}
}

func newEntry(id, caller string) *entry {
	return &entry{
		id: id, caller: caller, ready: make(chan struct{}), used: time.Now(), places: make(map[string]struct{}),
		overtaken: overtaken{void: make(map[string]time.Time), entering: make(map[string]*arrivals)},
	}
}

// add takes a session in that was opened here.
func (t *table) add(ses driver.Session, caller string, asked time.Duration) *entry {
	e := newEntry(ses.ID(), caller)
	e.settle(ses, asked)
	t.mu.Lock()
	defer t.mu.Unlock()
	t.byID[ses.ID()] = e
	return e
}

// settle sets the session. Where it does not expire by time in the store, the server sees
// to it that it does: its client may die, and the server lives on.
func (e *entry) settle(ses driver.Session, asked time.Duration) {
	e.ses, e.ttl = ses, ses.TTL()
	if e.ttl == 0 {
		e.ttl = asked
	}
	close(e.ready)
}

// use makes a call on a session of the caller. When another server has carried it on since,
// it is this one's turn again.
func (t *table) use(ctx context.Context, name string, call func(driver.Session) error) error {
	return t.useEntry(ctx, name, func(e *entry) error { return call(e.ses) })
}

func (t *table) useEntry(ctx context.Context, name string, call func(*entry) error) error {
	who := callerOf(ctx)
	id, err := t.names.id(ctx, who.name, name)
	if err != nil {
		return err
	}
	const turns = 4
	for range turns {
		var e *entry
		if e, err = t.get(ctx, id, who); err != nil {
			return err
		}
		e.begin()
		err = call(e)
		e.end()
		switch {
		case errors.Is(err, driver.ErrMoved):
			t.drop(e)
			continue
		case errors.Is(err, driver.ErrSessionLost):
			t.drop(e)
		}
		break
	}
	return err
}

// get finds a session, or carries it on.
func (t *table) get(ctx context.Context, id string, who *caller) (*entry, error) {
	for {
		e, mine, err := t.find(id, who)
		if err != nil {
			return nil, err
		}
		if mine {
			t.attach(ctx, e)
		}
		select {
		case <-e.ready:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		if !mine && e.err != nil && ctx.Err() == nil {
			continue // it failed for somebody else, whose time may have been up
		}
		return e, e.err
	}
}

// find returns the entry of a session, and whether the caller is the one to fill it.
func (t *table) find(id string, who *caller) (e *entry, mine bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if e = t.byID[id]; e != nil {
		return e, false, nil
	}
	if _, ok := t.s.drv.(driver.Attacher); !ok || !t.s.features.Attach {
		return nil, false, errMisdirected
	}
	if err := t.s.quotas.take(who.name, quotaSessions, t.s.limit(who, quotaSessions)); err != nil {
		return nil, false, err
	}
	e = newEntry(id, who.name)
	t.byID[id] = e
	return e, true, nil
}

func (t *table) attach(ctx context.Context, e *entry) {
	ses, err := t.s.drv.(driver.Attacher).Attach(ctx, e.id)
	if err != nil {
		e.err = fmt.Errorf("carry on session %s: %w", e.id, err)
		t.drop(e)
		close(e.ready)
		return
	}
	e.settle(ses, ses.TTL())
}

// drop forgets a session, which stays as it is in the store.
func (t *table) drop(e *entry) {
	t.mu.Lock()
	found := t.byID[e.id] == e
	if found {
		delete(t.byID, e.id)
	}
	t.mu.Unlock()
	if found {
		t.returned(e)
	}
}

// returned gives the caller's quotas back.
func (t *table) returned(e *entry) {
	e.mu.Lock()
	n := len(e.places)
	e.places = nil
	e.mu.Unlock()
	t.s.quotas.give(e.caller, quotaSessions, 1)
	t.s.quotas.give(e.caller, quotaPlaces, n)
}

func (e *entry) begin() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inUse++
}

func (e *entry) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.inUse--
	e.used = time.Now()
}

// idle is how long the session has not been used, 0 while it is.
func (e *entry) idle(now time.Time) time.Duration {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.inUse > 0 {
		return 0
	}
	return now.Sub(e.used)
}

func (t *table) count() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.byID)
}
