package holdgate

import (
	"context"
	"errors"
)

// Run campaigns with this value, runs fn while it leads, and campaigns again. fn's context
// ends when ctx does or leadership is lost; leadership is given up only when fn has
// returned, also when it panics. So the work of two leaders overlaps only as far as fn
// does not stop when its context ends.
//
// When fn returns nil, or was stopped by the loss of leadership (it returns an error that
// matches context.Canceled or ErrLost), Run goes on, at the end of the line: the
// others have their turn. Any other error of fn ends it, and so do the end of ctx, whose
// cause it returns, and a store that refuses. While the store cannot be reached it tries on.
func (e Election) Run(ctx context.Context, value string, fn func(ctx context.Context, lead *Leadership) error) error {
	retry := e.client.patience(forever)
	for {
		lead, err := e.Campaign(ctx, value)
		if err == nil {
			retry.startAnew()
			err = lead.run(ctx, fn)
			switch {
			case ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())):
				return context.Cause(ctx)
			case err != nil:
				return err
			}
			continue
		}
		if ctx.Err() != nil || !again(err) {
			return err
		}
		if err = retry.pause(ctx, err); err != nil {
			return err
		}
	}
}

// again reports whether a campaign that ended like this may be followed by another: the store
// was away, or somebody sent this candidate to the end of the line.
func again(err error) bool {
	return errors.Is(err, ErrUnavailable) || errors.Is(err, errRemoved) || errors.Is(err, ErrLost)
}

// run is one term.
func (l *Leadership) run(ctx context.Context, fn func(ctx context.Context, lead *Leadership) error) (err error) {
	defer func() {
		lost := l.Resign(ctx)
		if errors.Is(lost, ErrLost) && (errors.Is(err, context.Canceled) || errors.Is(err, ErrLost)) {
			err = nil
		}
	}()
	if l.Err() != nil {
		return nil // lost before it began
	}
	return fn(l.bound(ctx), l)
}
