package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

func newWho() *cobra.Command {
	f := &viewFlags{}
	cmd := &cobra.Command{
		Use:   "who NAME",
		Short: "Show who holds a lock and who waits for it",
		Long: `Shows who holds the lock NAME, since when and what for, and who waits for it, in order.

Exit codes:
  0   somebody holds it
  1   it is free
  64  the command line is wrong
  69  the store cannot be reached

With --json it is one document.
` + jsonFields,
		Example: `  holdgate who deploy/web
  holdgate who deploy/web >/dev/null && echo busy
  holdgate who deploy/web --json | jq -r '.places[0].owner'`,
		Args:              takes(1, 1, "the name of a lock", theName),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.who(cmd.Context(), args[0]) },
	}
	f.register(cmd, "one JSON document")
	return cmd
}

func (f *viewFlags) who(ctx context.Context, name string) (err error) {
	if err = checkName(name); err != nil {
		return err
	}
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	line, err := c.line(ctx, name)
	if err != nil {
		return err
	}
	holders, _ := show.Split(line)
	switch {
	case f.json:
		err = show.Document(os.Stdout, show.NewLine(line, c.orphan))
	case len(line.Places) == 0:
		_, err = fmt.Printf("%s is free\n", show.Text(name))
	default:
		err = printRows(show.Details(line, time.Now(), c.orphan))
	}
	if err == nil && len(holders) == 0 {
		err = silently(exitFailed)
	}
	return err
}

// findPlace returns the place of a line that was meant: by its ID or the beginning of it or,
// when that is empty, the only one that holds.
func findPlace(line holdgate.Line, id string) (holdgate.Place, error) {
	var found []holdgate.Place
	for _, p := range line.Places {
		if id == "" && p.Granted || id != "" && len(p.ID) >= len(id) && p.ID[:len(id)] == id {
			found = append(found, p)
		}
	}
	switch {
	case len(found) == 1:
		return found[0], nil
	case len(found) > 1:
		return holdgate.Place{}, usage("%d places of %q are meant; say which: holdgate who %s shows them",
			len(found), line.Name, show.Text(line.Name))
	case id == "":
		return holdgate.Place{}, failed("nobody holds %q", line.Name)
	}
	return holdgate.Place{}, failed("%q has no place %q", line.Name, id)
}
