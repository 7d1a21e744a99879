package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/membership"
)

// membersFlags are those of members.
type membersFlags struct {
	viewFlags
	watch bool
}

func newMembers() *cobra.Command {
	f := &membersFlags{}
	cmd := &cobra.Command{
		Use:   "members GROUP",
		Short: "Show who is in a group",
		Long: `Lists the members of GROUP: those that holdgate join runs, and programs that joined by the library's
package membership.

With --watch it prints what happens, a line each, until it is interrupted: who is there at first,
then who joined, changed what it tells, left (it said so), or was lost (it did not: it died, or was
cut off). While the store cannot be reached nothing is printed, and nobody is lost for that.

Exit codes:
  0   there are members
  1   there are none
  64  the command line is wrong
  69  the store cannot be reached

With --json it is one document, {"group", "members": [...]}; with --watch a document a line,
{"time", "event" ("joined", "changed", "left", "lost"), "group", "member": {...}}. A member is
{"id", "data", "owner", "joined", "incarnation", "token", "place_id"}; "joined" is on its own clock,
"incarnation" tells one join from another of the same ID, and holdgate evict takes the place.`,
		Example: `  holdgate members workers
  holdgate members workers --watch
  holdgate members workers --json | jq -r '.members[].id'`,
		Args:              takes(1, 1, "the name of a group", theGroup),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			return f.run(cmd.Context(), args[0])
		},
	}
	f.register(cmd, "one JSON document")
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "print what happens, until it is interrupted")
	return cmd
}

func (f *membersFlags) run(ctx context.Context, name string) (err error) {
	if err = checkName(name); err != nil {
		return err
	}
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	group := membership.Of(c.Client, name)
	members, err := ask(ctx, group.Members)
	switch {
	case err != nil:
		return err
	case f.watch:
		return f.follow(ctx, group)
	}
	return f.list(name, members)
}

// membersView is a group in JSON.
type membersView struct {
	Group   string              `json:"group"`
	Members []membership.Member `json:"members"`
}

func (f *membersFlags) list(name string, members []membership.Member) (err error) {
	switch {
	case f.json:
		err = show.Document(os.Stdout, membersView{name, append([]membership.Member{}, members...)})
	case len(members) == 0:
		_, err = fmt.Printf("%s has no members\n", show.Text(name))
	default:
		err = printRows(show.Members(members, time.Now()))
	}
	if err == nil && len(members) == 0 {
		err = silently(exitFailed)
	}
	return err
}

// follow prints what happens in the group.
func (f *membersFlags) follow(ctx context.Context, group membership.Group) error {
	for e, err := range group.Events(ctx) {
		if err != nil {
			return err
		}
		event := show.MemberEvent{Time: time.Now(), Event: e.Type, Group: group.Name(), Member: e.Member}
		if f.json {
			err = show.Record(os.Stdout, event)
		} else {
			_, err = fmt.Println(event)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
