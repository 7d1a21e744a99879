package etcdembed

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap/zapcore"
)

// logCore writes etcd's messages to a slog.Handler.
type logCore struct {
	handler slog.Handler
	least   slog.Leveler
}

var _ zapcore.Core = (*logCore)(nil)

// Enabled implements zapcore.Core.
func (c *logCore) Enabled(l zapcore.Level) bool {
	level := slogLevel(l)
	return level >= c.least.Level() && c.handler.Enabled(context.Background(), level)
}

// slogLevel is the same severity. What is beyond an error ends the member.
func slogLevel(l zapcore.Level) slog.Level {
	switch l {
	case zapcore.DebugLevel:
		return slog.LevelDebug
	case zapcore.InfoLevel:
		return slog.LevelInfo
	case zapcore.WarnLevel:
		return slog.LevelWarn
	case zapcore.ErrorLevel:
		return slog.LevelError
	}
	return slog.LevelError + 4
}

// With implements zapcore.Core.
func (c *logCore) With(fields []zapcore.Field) zapcore.Core {
	return &logCore{handler: c.handler.WithAttrs(attributes(fields)), least: c.least}
}

// Check implements zapcore.Core.
func (c *logCore) Check(e zapcore.Entry, checked *zapcore.CheckedEntry) *zapcore.CheckedEntry {
	if c.Enabled(e.Level) && !isKnown(e.Message) {
		return checked.AddCore(e, c)
	}
	return checked
}

// Write implements zapcore.Core.
func (c *logCore) Write(e zapcore.Entry, fields []zapcore.Field) error {
	record := slog.NewRecord(e.Time, slogLevel(e.Level), e.Message, 0)
	record.AddAttrs(attributes(fields)...)
	return c.handler.Handle(context.Background(), record)
}

// Sync implements zapcore.Core. A slog.Handler buffers nothing that we could flush.
func (c *logCore) Sync() error { return nil }

// attributes are fields in the order of their keys, in our way of writing keys.
func attributes(fields []zapcore.Field) []slog.Attr {
	values := zapcore.NewMapObjectEncoder()
	for _, f := range fields {
		f.AddTo(values)
	}
	var attrs []slog.Attr
	for _, key := range slices.Sorted(maps.Keys(values.Fields)) {
		attrs = append(attrs, slog.Any(strings.ReplaceAll(key, "-", "_"), values.Fields[key]))
	}
	return attrs
}
