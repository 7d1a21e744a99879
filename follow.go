package holdgate

import (
	"context"
	"iter"

	"github.com/holdgate/holdgate/driver"
)

// follow yields the line of this name, and again whenever it changed, through outages of the
// store: a watch that broke is begun anew, with a line that is up to date. It ends with an
// error that another attempt would not help against: the cause of ctx, ErrClosed, a store
// that refuses.
func (c *Client) follow(ctx context.Context, name string) iter.Seq2[driver.Line, error] {
	return func(yield func(driver.Line, error) bool) {
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(c.ctx, func() { cancel(ErrClosed) })()
		for failures := 1; ; failures++ {
			broke := ErrUnavailable
			for s, err := range c.drv.Watch(ctx, driver.Query{Name: name}) {
				if err != nil {
					broke = err
					break
				}
				failures = 1
				if line, told := lineIn(s, name); told && !yield(line, nil) {
					return
				}
			}
			if transient(broke) {
				_ = sleep(ctx, c.clock, c.backoff(failures)) // the end of ctx is seen below
			}
			if ctx.Err() != nil {
				broke = context.Cause(ctx)
			}
			if !transient(broke) || ctx.Err() != nil {
				yield(driver.Line{}, broke)
				return
			}
		}
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
