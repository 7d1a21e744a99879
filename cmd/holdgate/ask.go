package main

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

const (
	// lookTime is how long a command that only looks waits for the store.
	lookTime = 15 * time.Second
	// connectTime is how much of that it waits for a store that has to be asked first.
	connectTime = 5 * time.Second
	// lookAttempts is how often it asks: one server of several may be of no use.
	lookAttempts = 5
)

// errNoAnswer is the cause of a context that ended because the store does not answer.
var errNoAnswer = errors.New("the store does not answer")

// ask asks the store for something that changes nothing, again when one of its servers
// failed, and not for ever.
func ask[T any](ctx context.Context, question func(context.Context) (T, error)) (answer T, err error) {
	ctx, stop := context.WithTimeoutCause(ctx, lookTime, errNoAnswer)
	defer stop()
	for attempt := 1; ; attempt++ {
		answer, err = question(ctx)
		passing := errors.Is(err, holdgate.ErrUnavailable) || errors.Is(err, driver.ErrUnknownOutcome)
		if !passing || attempt == lookAttempts {
			return answer, err
		}
		select {
		case <-ctx.Done():
			return answer, err
		case <-time.After(25 * time.Millisecond << attempt):
		}
	}
}

// line and lines are what commands ask for.
func (c *connection) line(ctx context.Context, name string) (holdgate.Line, error) {
	return ask(ctx, func(ctx context.Context) (holdgate.Line, error) { return c.Line(ctx, name) })
}

func (c *connection) lines(ctx context.Context, prefix string) ([]holdgate.Line, error) {
	return ask(ctx, func(ctx context.Context) ([]holdgate.Line, error) { return c.Lines(ctx, prefix) })
}
