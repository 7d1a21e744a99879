package holdgate

import (
	"context"
	"iter"
	"sync"
	"sync/atomic"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// follow yields the line of this name, and again whenever it changed, through outages of the
// store: a watch that broke is begun anew, with a line that is up to date. It ends with an
// error that another attempt would not help against: the cause of ctx, ErrClosed, a store
// that refuses.
func (c *Client) follow(ctx context.Context, name string) iter.Seq2[driver.Line, error] {
	return func(yield func(driver.Line, error) bool) {
		err := c.track(ctx, name, tracker{
			told: func(line driver.Line) bool { return yield(line, nil) },
			away: func() bool { return true },
		})
		if err != nil {
			yield(driver.Line{}, err)
		}
	}
}

// tracker is told how a line changes.
type tracker struct {
	// told gets the line, away that the watch broke. Each ends it all by reporting false.
	told func(driver.Line) bool
	away func() bool
	// probe, if not 0, is how often a watch that is silent is looked after: its connection
	// may hang, of which nobody is told.
	probe time.Duration
}

// track is follow for those who want to know of outages. It returns nil when t ended it.
func (c *Client) track(ctx context.Context, name string, t tracker) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })()
	for failures := 1; ; failures++ {
		heard, broke := c.trackOnce(ctx, name, t)
		if heard {
			failures = 1
		}
		switch {
		case broke == nil:
			return nil
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case !transient(broke):
			return broke
		case !t.away():
			return nil
		}
		_ = sleep(ctx, c.clock, c.backoff(failures)) // the end of ctx is seen above
	}
}

// trackOnce is one watch. It returns whether something was heard, and why it broke: nil when t
// ended it.
func (c *Client) trackOnce(ctx context.Context, name string, t tracker) (heard bool, broke error) {
	ctx, cancel := context.WithCancelCause(ctx)
	var probes sync.WaitGroup
	defer probes.Wait()
	defer cancel(nil)
	var last atomic.Int64 // when something was heard, on the client's clock
	last.Store(int64(c.clock.Now()))
	if t.probe > 0 {
		probes.Go(func() { c.probe(ctx, name, t.probe, &last, cancel) }) // ends with the watch
	}
	for s, err := range c.drv.Watch(ctx, driver.Query{Name: name}) {
		if err != nil {
			if cause := context.Cause(ctx); cause != nil {
				err = cause // whatever the store makes of it
			}
			return heard, err
		}
		heard = true
		last.Store(int64(c.clock.Now()))
		if line, told := lineIn(s, name); told && !t.told(line) {
			return heard, nil
		}
	}
	return heard, ErrUnavailable
}

// probe asks the store for the line whenever nothing was heard for this long, and ends the
// watch when it gets no answer.
func (c *Client) probe(ctx context.Context, name string, every time.Duration, last *atomic.Int64, broke context.CancelCauseFunc) {
	for {
		silent := c.clock.Now() - time.Duration(last.Load())
		if silent < every {
			if sleep(ctx, c.clock, every-silent) != nil {
				return
			}
			continue
		}
		if _, err := c.line(ctx, name); err != nil {
			broke(err)
			return
		}
		last.Store(int64(c.clock.Now()))
	}
}

// lineIn finds what a snapshot tells about a line.
func lineIn(s driver.Snapshot, name string) (line driver.Line, told bool) {
	for _, l := range s.Lines {
		if l.Name == name {
			return l, true
		}
	}
	return driver.Line{Name: name}, s.Full
}
