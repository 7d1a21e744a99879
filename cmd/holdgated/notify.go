package main

import (
	"context"
	"log/slog"

	"github.com/coreos/go-systemd/v22/daemon"
)

// What the service manager is told, if there is one (sd_notify).
const (
	ready    = daemon.SdNotifyReady
	stopping = daemon.SdNotifyStopping
)

// tellManager keeps the socket in the environment: both messages go to it.
func tellManager(ctx context.Context, log *slog.Logger, state string) {
	if _, err := daemon.SdNotify(false, state); err != nil {
		log.LogAttrs(ctx, slog.LevelWarn, "the service manager was not told", slog.String("state", state), slog.Any("error", err))
	}
}
