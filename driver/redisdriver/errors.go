package redisdriver

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"

	"github.com/redis/go-redis/v9"

	"github.com/holdgate/holdgate/driver"
)

// explain says what a request's failure means to its caller.
func (d *Driver) explain(err error, s *script) error {
	if d.ctx.Err() != nil {
		return driver.ErrClosed
	}
	return fmt.Errorf("%w: %w", kindOf(err, s), err)
}

// kindOf classifies. An answer of the server's is definite: a script checks before it
// writes, so that one that was refused has done nothing.
func kindOf(err error, s *script) error {
	var answer redis.Error
	switch {
	case errors.Is(err, errFewReplicas):
		return driver.ErrUnknownOutcome
	case errors.As(err, &answer):
		return kindOfAnswer(err, s)
	case notSent(err), s.reads:
		return driver.ErrUnavailable
	default:
		return driver.ErrUnknownOutcome
	}
}

// refusals are how the answers of a server begin that cannot do it now.
func refusals() []string {
	return []string{
		"OOM ", "NOREPLICAS ", "LOADING ", "READONLY ", "MASTERDOWN ", "CLUSTERDOWN ", "TRYAGAIN ", "MOVED ", "ASK ",
		"BUSY ", "MISCONF ", "ERR max number of clients",
	}
}

func kindOfAnswer(err error, s *script) error {
	text := err.Error()
	switch {
	case redis.IsAuthError(err), redis.IsPermissionError(err):
		return driver.ErrDenied
	case strings.Contains(text, "Error compiling script"), strings.HasPrefix(text, "ERR unknown command"):
		return driver.ErrUnsupported // older than Redis 7
	case strings.Contains(text, "access a non local key"):
		return driver.ErrUnavailable // the slot is being moved; see here in lua/sweep.lua
	}
	for _, refusal := range refusals() {
		if strings.HasPrefix(text, refusal) {
			return driver.ErrUnavailable
		}
	}
	if s.reads {
		return driver.ErrUnavailable
	}
	return driver.ErrUnknownOutcome // a script that broke off may have written something
}

// notSent reports whether the server cannot have seen the request.
func notSent(err error) bool {
	var op *net.OpError
	return errors.As(err, &op) && op.Op == "dial" ||
		errors.Is(err, redis.ErrPoolTimeout) || errors.Is(err, redis.ErrPoolExhausted) || errors.Is(err, redis.ErrClosed)
}

// gaveUp is the error of a call whose context ended before its answer came.
func gaveUp(ctx context.Context, sent bool, s *script) error {
	switch {
	case !sent:
		return fmt.Errorf("not sent: %w", context.Cause(ctx))
	case s.reads:
		return fmt.Errorf("%w: %w", driver.ErrUnavailable, context.Cause(ctx))
	default:
		return fmt.Errorf("%w: %w", driver.ErrUnknownOutcome, context.Cause(ctx))
	}
}

func gone(line, id string) error {
	return fmt.Errorf("%w: no place %s in line %q", driver.ErrGone, id, line)
}

func oneOf(err error, kinds ...error) bool {
	for _, kind := range kinds {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}
