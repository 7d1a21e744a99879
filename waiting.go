package holdgate

import (
	"context"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Waiting tells whom a caller waits for.
type Waiting struct {
	Name string
	// Holder is the first place of the line.
	Holder Place
	// Ahead is how many places of the line are ahead of the caller: 1 when a goroutine of
	// this process holds.
	Ahead int
	// Waited is for how long somebody in this process has waited by now.
	Waited time.Duration
}

// reportWait tells Options.OnWait about the line until the function that it returns
// is called.
func (c *Client) reportWait(ctx context.Context, name string, ahead standing) (quiet context.CancelFunc) {
	if c.opts.OnWait == nil {
		return func() {}
	}
	ctx, quiet = context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, quiet)
	c.task(func() { // ends with quiet, or with the client
		defer stop()
		c.tellWaits(ctx, name, ahead)
	})
	return quiet
}

// tellWaits follows the line, through outages too.
func (c *Client) tellWaits(ctx context.Context, name string, ahead standing) {
	begun := c.clock.Now()
	var last Waiting
	for failures := 1; ctx.Err() == nil; failures++ {
		for s, err := range c.drv.Watch(ctx, driver.Query{Name: name}) {
			if err != nil {
				break
			}
			failures = 1
			now := waitingFor(name, s, ahead)
			if now.Holder.ID != "" && (now.Ahead != last.Ahead || now.Holder.ID != last.Holder.ID || now.Holder.Since != last.Holder.Since) {
				last = now
				now.Waited = c.clock.Now() - begun
				c.opts.OnWait(now)
			}
			if sleep(ctx, c.clock, pace(c.clock.Now()-begun)) != nil {
				return
			}
		}
		_ = sleep(ctx, c.clock, c.backoff(failures))
	}
}

// pace is how long to wait before a waiter is told again: a second at first, half a
// minute after long.
func pace(waited time.Duration) time.Duration {
	return min(max(time.Second, waited/10), 30*time.Second)
}

// waitingFor reads a snapshot of one line for a waiter of this client. It has no
// holder when there is nothing to tell.
func waitingFor(name string, s driver.Snapshot, ahead standing) Waiting {
	if len(s.Lines) == 0 || len(s.Lines[0].Places) == 0 {
		return Waiting{Name: name}
	}
	places := s.Lines[0].Places
	n, waits := ahead(places)
	if !waits {
		return Waiting{} // it was just granted: the wait is over
	}
	return Waiting{Name: name, Holder: newPlace(places[0]), Ahead: n}
}

// standing is how a waiter stands in a line: how many places are ahead of it, unless it does not
// wait any more.
type standing func(places []driver.Place) (ahead int, waits bool)

// ahead is how those stand who wait for this very place. Others of the same session may hold.
func (p *ownPlace) ahead(places []driver.Place) (ahead int, waits bool) {
	i := driver.Line{Places: places}.Find(p.claim.ID)
	return i, i >= 0 && !places[i].Granted
}

// ahead is how the goroutines of the local line stand, which have one place.
func (l *localLine) ahead(places []driver.Place) (ahead int, waits bool) {
	live := l.client.live.Load()
	ahead = len(places)
	for i, p := range places {
		switch {
		case live == nil || p.Session != live.drv.ID():
		case !p.Granted:
			return i, true
		case !l.passing():
			return 0, false
		default:
			ahead = i + 1
		}
	}
	return ahead, true
}

// reportLocked begins to tell about the line's waiters, unless that goes on already.
func (l *localLine) reportLocked() {
	if l.stopReport == nil && l.client.opts.OnWait != nil {
		l.stopReport = l.client.reportWait(l.client.ctx, l.claim.Line, l.ahead)
	}
}

// passing reports whether somebody here holds while others here wait.
func (l *localLine) passing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == lineHeld && !l.queue.empty()
}
