package etcdembed

import (
	"fmt"
	"log/slog"
	"runtime"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// newLogger is the logger for etcd. Where etcd would end the process by it, fail is told why,
// and the goroutine that logged ends: etcd relies on not going on there.
func newLogger(l *slog.Logger, least slog.Leveler, fail func(error)) *zap.Logger {
	core := &logCore{handler: l.With(slog.String("component", "etcd")).Handler(), least: least}
	hook := fatalHook{fail}
	return zap.New(core, zap.WithFatalHook(hook), zap.WithPanicHook(hook))
}

// fatalHook runs instead of os.Exit, and instead of panic.
type fatalHook struct{ fail func(error) }

// OnWrite implements zapcore.CheckWriteHook.
func (h fatalHook) OnWrite(e *zapcore.CheckedEntry, fields []zapcore.Field) {
	h.fail(failure(e.Message, fields))
	runtime.Goexit()
}

func failure(message string, fields []zapcore.Field) error {
	for _, f := range fields {
		if cause, ok := f.Interface.(error); ok && f.Type == zapcore.ErrorType {
			return fmt.Errorf("%w: %s: %w", ErrFailed, message, cause)
		}
	}
	return fmt.Errorf("%w: %s", ErrFailed, message)
}
