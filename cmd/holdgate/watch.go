package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// watchFlags are those of watch.
type watchFlags struct {
	viewFlags
	prefix string
}

func newWatch() *cobra.Command {
	f := &watchFlags{}
	cmd := &cobra.Command{
		Use:   "watch [NAME]",
		Short: "Print what happens to locks, as it happens",
		Long: `Prints a line for each change, until it is interrupted: who waits, who holds, who was asked to go,
who left. It begins with how things are. Without a name all locks are watched. What a lock is held
or waited for is in parentheses (--reason).

Changes that follow each other closely may be merged: who held for an instant may not be seen.

With --json each change is a document on a line of its own: {"time", "event" ("waits", "holds",
"evicted", "left"), "name", "initial" (it was so at the beginning), "place"}.
` + jsonFields,
		Example: `  holdgate watch deploy/web
  holdgate watch --prefix deploy/
  holdgate watch --json | jq -r 'select(.event == "holds") | .place.owner'`,
		Args:              takes(0, 1, "at most the name of a lock", ""),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			q := holdgate.Query{Name: f.prefix, Prefix: true}
			if len(args) > 0 {
				if cmd.Flags().Changed("prefix") {
					return usage("a name and --prefix exclude each other")
				}
				q = holdgate.Query{Name: args[0]}
				if err := checkName(q.Name); err != nil {
					return err
				}
			}
			return f.run(cmd.Context(), q)
		},
	}
	f.register(cmd, "one JSON document a line")
	cmd.Flags().Var(text{&f.prefix, "TEXT"}, "prefix", "watch all whose name begins with this")
	return cmd
}

func (f *watchFlags) run(ctx context.Context, q holdgate.Query) error {
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	var changes show.Changes
	first := true
	for s := range follow(ctx, c, q) {
		if s.err != nil {
			return s.err
		}
		if first && !f.json && empty(s.Snapshot) {
			fmt.Fprintln(os.Stderr, "nobody holds or waits yet")
		}
		first = false
		for _, change := range changes.Next(s.Snapshot, time.Now()) {
			if f.json {
				err = show.Record(os.Stdout, change)
			} else {
				_, err = fmt.Println(change)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// empty reports whether nobody stands in any line.
func empty(s holdgate.Snapshot) bool {
	return !slices.ContainsFunc(s.Lines, func(l holdgate.Line) bool { return len(l.Places) > 0 })
}
