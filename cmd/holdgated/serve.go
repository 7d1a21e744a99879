package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/driver/etcdembed"
)

func newServe() *cobra.Command {
	var member memberFlags
	var http webFlags
	var logs logFlags
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Run the store (what holdgated does without a command)",
		Long: `Runs a store for locks until it is stopped by SIGTERM or SIGINT. One member keeps the locks of
one machine, or of all that reach it. Three go on when one of them is gone.

Every flag is also a variable: --data-dir is HOLDGATED_DATA_DIR.`,
		Args:              takes(0, "no arguments"),
		ValidArgsFunction: cobra.NoFileCompletions,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := readFlags(cmd, &member, &http, &logs)
			switch {
			case err != nil:
				return err
			case http.store != "":
				return serveStore(cmd.Context(), o.Logger, http)
			}
			return serve(cmd.Context(), o, http)
		},
	}
	member.register(cmd.Flags())
	http.register(cmd.Flags())
	logs.register(cmd.Flags())
	return cmd
}

// readFlags reads the flags, and the files that they name.
func readFlags(cmd *cobra.Command, member *memberFlags, http *webFlags, logs *logFlags) (o etcdembed.Options, err error) {
	if err = fromEnvironment(cmd); err != nil {
		return o, err
	}
	if err = http.check(); err != nil {
		return o, err
	}
	if http.store == "" {
		if o, err = member.options(); err != nil {
			return o, err
		}
	}
	if o.Logger, o.LogLevel, err = logs.logger(cmd.ErrOrStderr()); err != nil || http.store != "" {
		return o, err
	}
	return o, asFlag(o.Check())
}

// serve runs the member until ctx ends or the member does. Whatever else the daemon offers
// to clients runs between its start and its close.
func serve(ctx context.Context, o etcdembed.Options, http webFlags) error {
	log := o.Logger
	log.LogAttrs(ctx, slog.LevelInfo, "starting", slog.String("version", version()), slog.String("data_dir", o.Dir))
	server, err := etcdembed.Start(ctx, o)
	switch {
	case err != nil && ctx.Err() != nil && !errors.Is(err, etcdembed.ErrStuck):
		log.LogAttrs(ctx, slog.LevelInfo, "stopped before it served")
		return nil
	case err != nil:
		return asFlag(err)
	}
	log.LogAttrs(ctx, slog.LevelInfo, "serving", slog.String("address", strings.Join(server.Endpoints(), " ")))
	front, err := openFront(ctx, log, http, server)
	if err != nil {
		return errors.Join(err, server.Close())
	}
	tellManager(ctx, log, ready)

	select {
	case <-ctx.Done():
		log.LogAttrs(ctx, slog.LevelInfo, "stopping")
	case <-server.Done():
	case err = <-front.failed():
	}
	tellManager(ctx, log, stopping)
	front.close(ctx)
	return errors.Join(err, ended(server))
}

// ended closes the member, and says why it ended unless that was asked for.
func ended(server *etcdembed.Server) error {
	err := server.Close()
	if reason := server.Err(); reason != nil {
		return fmt.Errorf("the member ended: %w", reason) // what it could not stop ends with the process
	}
	return err
}
