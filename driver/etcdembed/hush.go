package etcdembed

import (
	"errors"
	"log/slog"
)

// hush is the least level of etcd's messages. To warn of connections that end is etcd's way
// of being closed, and nobody has to be warned of what they asked for.
type hush struct{ *Server }

// Level implements slog.Leveler.
func (h hush) Level() slog.Level {
	least := h.set.LogLevel.Level()
	select {
	case <-h.ended:
		if least == slog.LevelWarn && !errors.Is(h.reason, ErrFailed) {
			return slog.LevelError
		}
	default:
	}
	return least
}
