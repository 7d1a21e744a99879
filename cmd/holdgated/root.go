package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
)

// execute runs the command line and returns the exit code.
func execute(args []string) int {
	// The first signal ends what is under way in order. After it, the second has its
	// default effect.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop)

	root := newRoot()
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	if err != nil {
		fmt.Fprintf(os.Stderr, "holdgated: %s\n", oneLine(err.Error()))
	}
	return exitCode(err)
}

func oneLine(s string) string { return strings.Join(strings.Fields(s), " ") }

func newRoot() *cobra.Command {
	root := newServe()
	root.Use = "holdgated"
	root.Short = "A store for locks"
	root.Example = `  holdgated                                      for the programs of this machine
  holdgated --listen 10.0.0.1:2379 --peer-listen 10.0.0.1:2380 \
    --cluster 10.0.0.1:2380,10.0.0.2:2380,10.0.0.3:2380    one of three machines
  holdgated --listen 10.0.0.2:2379 --peer-listen 10.0.0.2:2380 \
    --join 10.0.0.1:2379                                   one more, while the others run
  holdgated --http 127.0.0.1:8080                          with the HTTP API
  holdgated --http 127.0.0.1:8080 --store zk://h1,h2,h3    the HTTP API over another store
  holdgated backup locks.backup                  copy what it has`
	root.Long += "\n\n" + exitCodes
	root.Version = version()
	root.SilenceErrors, root.SilenceUsage = true, true
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usage("%w; see %s --help", err, cmd.CommandPath())
	})
	root.AddCommand(newServe(), newBackup(), newRestore(), newMember(), newCheckConfig())
	return root
}

// takes checks how many arguments a command has. what names them.
func takes(n int, what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) == n:
			return nil
		case !cmd.HasParent():
			return usage("unknown command %q; see %s --help", args[0], cmd.CommandPath())
		}
		return usage("%s takes %s, not %d arguments", cmd.CommandPath(), what, len(args))
	}
}
