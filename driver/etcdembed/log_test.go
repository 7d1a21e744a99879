package etcdembed_test

import (
	"context"
	"errors"
	"log/slog"
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

func (l *logged) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.messages
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
