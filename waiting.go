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
// is called. behindOwn reports whether somebody waits for another goroutine of this
// process.
func (c *Client) reportWait(ctx context.Context, name string, behindOwn func() bool) (quiet context.CancelFunc) {
	if c.opts.OnWait == nil {
		return func() {}
	}
	ctx, quiet = context.WithCancel(ctx)
	stop := context.AfterFunc(c.ctx, quiet)
	c.task(func() { // ends with quiet, or with the client
		defer stop()
		c.tellWaits(ctx, name, behindOwn)
	})
	return quiet
}

// tellWaits follows the line, through outages too.
func (c *Client) tellWaits(ctx context.Context, name string, behindOwn func() bool) {
	begun := c.clock.Now()
	var last Waiting
	for failures := 1; ctx.Err() == nil; failures++ {
		for s, err := range c.drv.Watch(ctx, driver.Query{Name: name}) {
			if err != nil {
				break
			}
			failures = 1
			now := c.waitingFor(name, s, behindOwn)
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
func (c *Client) waitingFor(name string, s driver.Snapshot, behindOwn func() bool) Waiting {
	w := Waiting{Name: name}
	if len(s.Lines) == 0 || len(s.Lines[0].Places) == 0 {
		return w
	}
	places := s.Lines[0].Places
	w.Holder, w.Ahead = newPlace(places[0]), len(places)
	live := c.live.Load()
	for i, p := range places {
		switch {
		case live == nil || p.Session != live.drv.ID():
		case !p.Granted:
			w.Ahead = i
			return w
		case !behindOwn():
			return Waiting{} // it was just granted: the wait is over
		default:
			w.Ahead = i + 1
		}
	}
	return w
}

// reportLocked begins to tell about the line's waiters, unless that goes on already.
func (l *localLine) reportLocked() {
	if l.stopReport == nil && l.client.opts.OnWait != nil {
		l.stopReport = l.client.reportWait(l.client.ctx, l.claim.Line, l.passing)
	}
}

// passing reports whether somebody here holds while others here wait.
func (l *localLine) passing() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.state == lineHeld && !l.queue.empty()
}
