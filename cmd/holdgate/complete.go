package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
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
		var names []cobra.Completion
		for _, l := range f.glance(cmd.Context(), begun) {
			if strings.ContainsAny(l.Name, "\t\n") {
				continue // the shells could not take it apart again
			}
			holders, waiting := show.Split(l)
			about := fmt.Sprintf("%d in line", waiting)
			if len(holders) > 0 {
				about = show.HeldBy(holders[0], time.Now()) + ", " + about
			}
			names = append(names, cobra.CompletionWithDesc(l.Name, about))
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}

// completePlace offers the places of a line.
func completePlace(ctx context.Context, f *storeFlag, name string) ([]cobra.Completion, cobra.ShellCompDirective) {
	var places []cobra.Completion
	for _, l := range f.glance(ctx, name) {
		if l.Name != name {
			continue
		}
		for _, p := range l.Places {
			about := "waits"
			if p.Granted {
				about = "holds"
			}
			places = append(places, cobra.CompletionWithDesc(p.ID, show.Owner(p)+" "+about))
		}
	}
	return places, cobra.ShellCompDirectiveNoFileComp
}

// glance returns the lines that begin like this, none when they are not there at once.
func (f *storeFlag) glance(ctx context.Context, prefix string) []holdgate.Line {
	ctx, stop := context.WithTimeout(ctx, completeTime)
	defer stop()
	c, _, err := f.look(ctx)
	if err != nil {
		return nil
	}
	lines, err := c.Lines(ctx, prefix)
	_ = c.Close(ctx) // it only looked
	if err != nil {
		return nil
	}
	return lines
}
