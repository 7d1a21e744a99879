package main

import (
	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/keeper"
)

func newRelease() *cobra.Command {
	return &cobra.Command{
		Use:   "release HANDLE",
		Short: "Release a lock that acquire took",
		Long: `Releases the lock behind a handle that holdgate acquire printed, and returns when the store
has confirmed it.

Exit codes:
  0    it is released
  64   nothing is kept under this handle (any more), or it is empty: acquire had failed
  69   the store has not confirmed it, and ends the lock by itself within its TTL
  79   the lock had been lost, or the process had ended that it was kept for`,
		Example: `  holdgate release "$lock"`,
		Args:    takes(1, 1, "the handle that holdgate acquire printed", "the handle that holdgate acquire printed"),
		ValidArgsFunction: func(_ *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return keeper.Handles(begun), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			o, err := keeper.Release(cmd.Context(), args[0])
			if err != nil {
				return err
			}
			return outcome(o)
		},
	}
}
