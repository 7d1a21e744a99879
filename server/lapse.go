package server

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// look looks after the sessions that nobody uses any more, until the server is closed.
//
// Their clients are gone, or go on with another server. The store ends the former by
// itself, and what this server still has of them must not add up. Only where sessions do
// not expire by time does the server end them.
func (t *table) look() {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for {
		select {
		case now := <-tick.C:
			t.lookOver(now)
		case <-t.s.ctx.Done():
			return
		}
	}
}

// lookOver looks at all sessions once.
func (t *table) lookOver(now time.Time) {
	t.mu.Lock()
	all := slices.Collect(maps.Values(t.byID))
	t.mu.Unlock()
	for _, e := range all {
		select {
		case <-e.ready:
		default:
			continue // about to be carried on
		}
		if e.err == nil && e.idle(now) > t.lapse(e.ttl) {
			t.lapsed(e)
		}
	}
}

// lapsed asks the store about a session that should have ended, or ends it.
func (t *table) lapsed(e *entry) {
	ctx, cancel := context.WithTimeout(t.s.ctx, t.s.opts.Limits.Read)
	defer cancel()
	var err error
	if e.ses.TTL() == 0 {
		err = e.ses.Close(ctx)
	} else {
		// It asks, and changes nothing: the session may live by another server.
		_, err = e.ses.Present(ctx)
	}
	ended := errors.Is(err, driver.ErrSessionLost) || errors.Is(err, driver.ErrMoved)
	switch {
	case ended || err == nil && e.ses.TTL() == 0:
		t.drop(e)
		t.s.opts.Logger.LogAttrs(ctx, slog.LevelDebug, "session ended",
			slog.String("session", e.id), slog.String("caller", e.caller))
	case err == nil:
		e.begin()
		e.end() // somebody renews it; look again one TTL later
	}
}
