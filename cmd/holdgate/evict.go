package main

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
)

// evictFlags are those of evict.
type evictFlags struct {
	viewFlags
	reason string
	force  bool
	wait   duration
}

func newEvict() *cobra.Command {
	f := &evictFlags{}
	cmd := &cobra.Command{
		Use:   "evict NAME [PLACE]",
		Short: "Ask a holder or a waiter to go",
		Long: `Asks the holder of the lock NAME to give it up, and returns when it has. With PLACE it is the
place with this ID, or the only one whose ID begins with it: a holder or one that waits. holdgate
who shows them.

The holder is told the reason by its next renewal: within a quarter of its --ttl. One that does
not go loses the lock when it cannot be trusted any more. In files nothing expires: there only the
holder can leave, and --wait bounds how long that is waited for. The mark stays, and the first
reason with it.

One that waits is removed from the line at once; its command is not started, and its run exits
with 75.

--force removes the place at once. Until its holder finds out, two may then believe that they hold
the lock: use it when you know that the holder does nothing any more.

Exit codes:
  0   the place is gone
  1   there is no such place, or nobody holds the lock
  64  the command line is wrong
  69  the store cannot be reached
  75  the holder was asked, and still holds after --wait

With --json it prints {"name", "place": {...}, "forced"}, the place as it was.
` + jsonFields,
		Example: `  holdgate evict deploy/web --reason "rolling back"
  holdgate evict deploy/web 6f1e --reason "wrong branch"
  holdgate evict deploy/web --force --reason "the machine is switched off"`,
		Args:              takes(1, 2, "the name of a lock, and perhaps a place", theName),
		ValidArgsFunction: f.complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			id := ""
			if len(args) > 1 {
				if id = args[1]; id == "" {
					return usage("PLACE is the beginning of an ID, not empty")
				}
			}
			if err := errors.Join(checkName(args[0]), f.check()); err != nil {
				return err
			}
			return f.evict(cmd.Context(), args[0], id)
		},
	}
	f.register(cmd, "one JSON document")
	cmd.Flags().Var(text{&f.reason, "TEXT"}, "reason", "what the holder is told (required)")
	cmd.Flags().BoolVar(&f.force, "force", false, "remove the place at once: two may then hold")
	cmd.Flags().Var(&f.wait, "wait", "wait for this long at most until it has gone (default: for as long as it takes)")
	return cmd
}

func (f *evictFlags) check() error {
	if f.reason == "" {
		return usage("--reason is missing: the holder is told why")
	}
	if err := (driver.Eviction{Reason: f.reason}).Check(); err != nil {
		return usage("--reason: %w", plainError{err})
	}
	if f.wait.set && f.wait.d <= 0 {
		return usage("--wait is more than 0s, not %v", f.wait.d)
	}
	return nil
}

func (f *evictFlags) evict(ctx context.Context, name, id string) error {
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	place, err := f.ask(ctx, c, name, id)
	if err = errors.Join(err, c.Close(ctx)); err != nil {
		return err
	}
	if f.json {
		return show.Document(os.Stdout, struct {
			Name   string     `json:"name"`
			Place  show.Place `json:"place"`
			Forced bool       `json:"forced"`
		}{name, place, f.force})
	}
	_, err = fmt.Printf("%s: place %s is gone\n", show.Text(name), show.Text(place.ID))
	return err
}

// ask evicts the place that is meant, and says which it is.
func (f *evictFlags) ask(ctx context.Context, c *connection, name, id string) (show.Place, error) {
	line, err := c.line(ctx, name)
	if err != nil {
		return show.Place{}, err
	}
	place, err := findPlace(line, id)
	if err != nil {
		return show.Place{}, err
	}
	if !f.json {
		for _, row := range f.asking(place, c.orphan(place)) {
			fmt.Fprintf(os.Stderr, "holdgate: %s: %s\n", show.Text(name), row)
		}
	}
	signals := make(chan os.Signal, 1)
	child.Catch(signals, child.Interrupts()...)
	ctx, stop := interruptible(ctx, signals)
	defer stop() //nolint:errcheck // the error of Evict has it
	if f.wait.set {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeoutCause(ctx, f.wait.d, fmt.Errorf("%w: waited %v", errTimedOut, f.wait.d))
		defer cancel()
	}
	err = c.Evict(ctx, name, place.ID, holdgate.Eviction{Reason: f.reason, Force: f.force})
	if errors.Is(err, holdgate.ErrNotHeld) {
		err = nil // it went by itself just now
	}
	return show.NewPlace(place, 1+position(line, place.ID)), err
}

// asking says what is done and, when that may take long, why.
func (f *evictFlags) asking(p holdgate.Place, orphan *show.Orphan) []string {
	whom := fmt.Sprintf("%s, place %s", show.Owner(p), show.Text(p.ID))
	if f.force {
		return []string{"removing " + whom}
	}
	if !p.Granted {
		return []string{"removing from the line " + whom}
	}
	rows := []string{"asking the holder to go, and waiting until it has: " + whom}
	if e := p.Eviction; e != nil {
		rows = append(rows, fmt.Sprintf("it was asked before, by %s, and that stands: %s", show.Text(e.By), show.Text(e.Reason)))
	}
	switch {
	case orphan != nil:
		rows = append(rows, fmt.Sprintf("process %d, which took it, has ended: nobody can answer; end %s; or --force removes the place at once",
			orphan.PID, orphan.Keepers()))
	case p.TTL == 0 && !p.Foreign:
		rows = append(rows, "nothing expires here: a holder that does not answer keeps it, and --force removes the place at once")
	}
	return rows
}

func position(line holdgate.Line, id string) int {
	for i, p := range line.Places {
		if p.ID == id {
			return i
		}
	}
	return -1
}

// complete offers names, then the places of the one that was chosen.
func (f *evictFlags) complete(cmd *cobra.Command, args []string, begun string) ([]cobra.Completion, cobra.ShellCompDirective) {
	if len(args) == 0 {
		return completeName(&f.storeFlag)(cmd, args, begun)
	}
	if len(args) > 1 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	return completePlace(cmd.Context(), &f.storeFlag, args[0])
}
