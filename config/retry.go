package config

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/internal/backoff"
)

// lastPause is the longest that it waits before another attempt.
const lastPause = 2 * time.Second

// attempt bounds one attempt: a packet that was lost must not use up a call's whole patience.
const attempt = 5 * time.Second

// errPatience ends an attempt that got no answer.
var errPatience = fmt.Errorf("%w: no answer in time", ErrUnavailable)

// try makes a request until the store answers, for as long as patience allows. What may have
// been done is not repeated: the caller has to look first.
func (c *Config) try(ctx context.Context, request func(context.Context) error) error {
	begun := time.Now()
	for failures := 1; ; failures++ {
		err := once(ctx, min(attempt, max(c.patience, backoff.First)), request)
		switch {
		case err == nil:
			return nil
		case ctx.Err() != nil && !errors.Is(err, context.Cause(ctx)):
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case ctx.Err() != nil, !errors.Is(err, ErrUnavailable), time.Since(begun) >= c.patience:
			return err
		}
		if cause := backoff.Pause(ctx, failures, lastPause); cause != nil {
			return fmt.Errorf("%w: %w", cause, err)
		}
	}
}

// once makes one request, which ends in time.
func once(ctx context.Context, limit time.Duration, request func(context.Context) error) error {
	ctx, cancel := context.WithTimeoutCause(ctx, limit, errPatience)
	defer cancel()
	return request(ctx)
}
