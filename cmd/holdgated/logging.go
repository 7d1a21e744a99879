package main

import (
	"io"
	"log/slog"

	"github.com/spf13/pflag"
)

// logFlags say what is logged, and how.
type logFlags struct{ level, format string }

func (f *logFlags) register(flags *pflag.FlagSet) {
	flags.StringVar(&f.level, "log-level", "info", "least `level` to log: debug (with all that etcd tells), info, warn or error")
	flags.StringVar(&f.format, "log-format", "text", "text or json")
}

// logger returns the logger, and the least level of etcd's own messages: they are many, and
// below warnings only etcd's developers know what they mean.
func (f *logFlags) logger(w io.Writer) (*slog.Logger, slog.Level, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(f.level)); err != nil {
		return nil, 0, usage("--log-level is debug, info, warn or error, not %q", f.level)
	}
	etcd := max(level, slog.LevelWarn)
	if level <= slog.LevelDebug {
		etcd = level
	}
	options := &slog.HandlerOptions{Level: level}
	switch f.format {
	case "text":
		return slog.New(slog.NewTextHandler(w, options)), etcd, nil
	case "json":
		return slog.New(slog.NewJSONHandler(w, options)), etcd, nil
	}
	return nil, 0, usage("--log-format is text or json, not %q", f.format)
}
