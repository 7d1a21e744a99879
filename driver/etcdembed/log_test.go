package etcdembed_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

// onRecord is a handler that only calls a function.
type onRecord func(slog.Record)

func (onRecord) Enabled(context.Context, slog.Level) bool        { return true }
func (f onRecord) Handle(_ context.Context, r slog.Record) error { f(r); return nil }
func (f onRecord) WithAttrs([]slog.Attr) slog.Handler            { return f }
func (f onRecord) WithGroup(string) slog.Handler                 { return f }

var errCutOff = errors.New("cut off by the test")

// cancelledAt returns a context that ends, with errCutOff, when a message is logged that
// contains a text.
func cancelledAt(t *testing.T, o *etcdembed.Options, text string) context.Context {
	t.Helper()
	ctx, cancel := context.WithCancelCause(bounded(t))
	t.Cleanup(func() { cancel(nil) })
	o.LogLevel = slog.LevelInfo
	o.Logger = slog.New(onRecord(func(r slog.Record) {
		if strings.Contains(r.Message, text) {
			cancel(errCutOff)
		}
	}))
	return ctx
}

// logged collects what is logged.
type logged struct {
	mu       sync.Mutex
	messages []string
}

func (l *logged) logger() *slog.Logger {
	return slog.New(onRecord(func(r slog.Record) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.messages = append(l.messages, r.Level.String()+" "+r.Message)
	}))
}

// all is what was logged, but for complaints about a slow machine, which may be true.
func (l *logged) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(l.messages), func(m string) bool {
		return strings.Contains(m, "too long") || strings.Contains(m, "slow") || strings.Contains(m, "cannot campaign")
	})
}

func TestQuietByDefault(t *testing.T) {
	t.Parallel()
	var log logged
	o := alone(t)
	o.Logger = log.logger()
	s := start(t, o)
	put(t, client(t, s), "a")
	stop(t, s)
	if got := log.all(); len(got) > 0 {
		t.Errorf("a start and a stop without incident logged %q, want nothing", got)
	}
}

func TestQuietWhenAMemberLeaves(t *testing.T) {
	t.Parallel()
	var log logged
	opts := trio(t)
	opts[0].Logger = log.logger()
	servers := startAll(t, opts)
	before := len(log.all())
	stop(t, servers[0])
	if got := log.all()[before:]; len(got) > 0 {
		t.Errorf("Close of one of three members logged %q, want nothing", got)
	}
}

func TestMoreOnDemand(t *testing.T) {
	t.Parallel()
	var log logged
	o := alone(t)
	o.Logger, o.LogLevel = log.logger(), slog.LevelInfo
	start(t, o)
	if len(log.all()) == 0 {
		t.Error("with LogLevel Info a start logged nothing")
	}
}
