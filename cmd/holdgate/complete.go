package main

import (
	"context"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// completeTime bounds how long somebody at a keyboard waits for the store.
const completeTime = 500 * time.Millisecond

// completeName offers the names that are in use as the first argument.
func completeName(f *storeFlag) cobra.CompletionFunc {
	return func(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveDefault
		}
		c, _, err := f.look()
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		ctx, stop := context.WithTimeout(cmd.Context(), completeTime)
		defer stop()
		defer c.Close(ctx) //nolint:errcheck // it only looked
		lines, err := c.Lines(ctx, begun)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		var names []cobra.Completion
		for _, l := range lines {
			holders, waiting := show.Split(l)
			about := show.Count(waiting, "waiter")
			if len(holders) > 0 {
				about = "held by " + show.Owner(holders[0]) + ", " + about
			}
			names = append(names, cobra.CompletionWithDesc(l.Name, about))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
