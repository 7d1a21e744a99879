package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/checkup"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/waitgraph"
)

// doctorFlags are those of doctor.
type doctorFlags struct {
	viewFlags
	stuck duration
	pause duration
}

const (
	// stuckAfter is how long a lock is held before it is looked at, while others wait.
	stuckAfter = 10 * time.Minute
	// lookAgainAfter is the time between two looks at what may be a deadlock. In it who waits has
	// told what it holds meanwhile.
	lookAgainAfter = 3 * time.Second
)

func newDoctor() *cobra.Command {
	f := &doctorFlags{stuck: duration{d: stuckAfter}, pause: duration{d: lookAgainAfter}}
	cmd := &cobra.Command{
		Use:   "doctor [PREFIX]",
		Short: "Find deadlocks, and what else is wrong with locks",
		Long: `Looks at the locks in use whose name begins with PREFIX (all, without one), and says what is
wrong, what it means and what to do:

  deadlock           each waits for what the next one holds, and inside of what it holds itself
  possible deadlock  the same between processes, where it is not known that who holds is who waits
  stuck              held for over --stuck while others wait (who leads an election may)
  overdue            a session that is not renewed in time, where the store tells (etcd, Redis)
  orphan             its process has ended, and what that started keeps the lock (files, on Linux)
  foreign            a place of other software; nothing is wrong if nobody waits behind it
  mismatch           one name, used as different kinds of lock

What may be a deadlock is looked at again after --pause: what has gone on by then is not told. A
deadlock that goes through locks which do not begin with PREFIX is not seen. Where those who wait
leave no place in the store (layout=single), none is.

Exit codes:
  0   nothing is wrong
  3   something is
  64  the command line is wrong
  69  the store cannot be reached

With --json it is one document, {"healthy", "locks", "findings": [...], "unseen": [...]}. A finding
is {"problem" (as above), "note" (nothing is wrong), "names", "says", "means", "do", "places"};
unseen is what this store does not tell. A place has a "name", and is else as in holdgate who.
See docs/doctor.md.`,
		Example: `  holdgate doctor
  holdgate doctor orders/ --stuck 1m
  holdgate doctor --json | jq -r '.findings[] | .problem + " " + .names[0]'`,
		Args:              takes(0, 1, "at most a prefix", ""),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE:              func(cmd *cobra.Command, args []string) error { return f.doctor(cmd.Context(), strings.Join(args, "")) },
	}
	f.register(cmd, "one JSON document")
	cmd.Flags().Var(&f.stuck, "stuck", "how long a lock may be held while others wait (default 10m)")
	cmd.Flags().Var(&f.pause, "pause", "how long what may be a deadlock is looked at (default 3s)")
	return cmd
}

// diagnosis is what was found, in JSON.
type diagnosis struct {
	Healthy  bool              `json:"healthy"`
	Locks    int               `json:"locks"`
	Findings []checkup.Finding `json:"findings"`
	Unseen   []string          `json:"unseen,omitempty"`
}

// doctor looks at everything, and tells.
func (f *doctorFlags) doctor(ctx context.Context, prefix string) (err error) {
	if err = f.stuck.between("--stuck", 0, holdgate.MaxTTL*366); err != nil {
		return err
	}
	if err = f.pause.between("--pause", 0, time.Hour); err != nil {
		return err
	}
	c, s, err := f.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	d, err := f.diagnose(ctx, c, prefix)
	if err != nil {
		return err
	}
	if f.url != "" { // what is to be done is to be done there, and the environment may name another store
		for i := range d.Findings {
			d.Findings[i].In(s.String())
		}
	}
	if f.json {
		err = show.Document(os.Stdout, d)
	} else {
		err = d.print()
	}
	if err == nil && !d.Healthy {
		err = silently(exitFound)
	}
	return err
}

func (f *doctorFlags) diagnose(ctx context.Context, c *connection, prefix string) (*diagnosis, error) {
	lines, err := c.lines(ctx, prefix)
	if err != nil {
		return nil, err
	}
	d := &diagnosis{Locks: len(lines), Findings: []checkup.Finding{}}
	deadlocks, err := f.deadlocks(ctx, c, prefix, lines)
	if err != nil {
		return nil, err
	}
	var locked []string
	for _, found := range deadlocks {
		locked = append(locked, found.Names...)
	}
	d.Findings = append(d.Findings, deadlocks...)
	d.Findings = append(d.Findings, checkup.Lines(lines, time.Now(), f.stuck.d, locked)...)
	sessions, err := d.examine(ctx, c, lines)
	if err != nil {
		return nil, err
	}
	d.Findings = append(d.Findings, sessions...)
	d.Healthy = true
	for _, found := range d.Findings {
		d.Healthy = d.Healthy && found.Note
	}
	if c.Features().Layout == driver.LayoutSingle {
		d.Unseen = append(d.Unseen, "who waits: they leave no place in this store")
	}
	return d, nil
}

// deadlocks looks again at what may be one. What stood in both looks stood together.
func (f *doctorFlags) deadlocks(ctx context.Context, c *connection, prefix string, lines []holdgate.Line) ([]checkup.Finding, error) {
	if len(waitgraph.Find(lines)) == 0 {
		return nil, nil
	}
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-time.After(f.pause.d):
	}
	later, err := c.lines(ctx, prefix)
	if err != nil {
		return nil, err
	}
	return checkup.Deadlocks(later, waitgraph.Find(waitgraph.Between(lines, later))), nil
}

func (d *diagnosis) print() error {
	var rows []string
	for _, found := range d.Findings {
		rows = append(rows, found.Rows()...)
		rows = append(rows, "")
	}
	if d.Healthy {
		rows = append(rows, fmt.Sprintf("nothing is wrong; locks in use: %d", d.Locks))
	} else {
		rows = append(rows, fmt.Sprintf("findings: %d; locks in use: %d", len(d.Findings), d.Locks))
	}
	for _, unseen := range d.Unseen {
		rows = append(rows, "not seen: "+unseen)
	}
	return printRows(rows)
}
