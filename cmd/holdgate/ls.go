package main

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// lsFlags are those of ls.
type lsFlags struct {
	viewFlags
	watch bool
}

func newLs() *cobra.Command {
	f := &lsFlags{}
	cmd := &cobra.Command{
		Use:   "ls [PREFIX]",
		Short: "List the locks that are in use",
		Long: `Lists the locks in use whose name begins with PREFIX (all, without one): who holds each, for how
long, and how many wait.

With --watch the table is kept up to date until it is interrupted: in place on a terminal, else it
is printed again whenever it changed.

With --json it is one document, {"lines": [...]}; with --watch one such document a line.
` + jsonFields,
		Example: `  holdgate ls
  holdgate ls deploy/ --watch
  holdgate ls --json | jq -r '.lines[].name'`,
		Args:              takes(0, 1, "at most a prefix", ""),
		ValidArgsFunction: completeName(&f.storeFlag),
		RunE: func(cmd *cobra.Command, args []string) error {
			prefix := strings.Join(args, "")
			if f.watch {
				return f.follow(cmd.Context(), prefix)
			}
			return f.list(cmd.Context(), prefix)
		},
	}
	f.register(cmd, "one JSON document")
	cmd.Flags().BoolVarP(&f.watch, "watch", "w", false, "keep the table up to date")
	return cmd
}

func (f *lsFlags) list(ctx context.Context, prefix string) (err error) {
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close(ctx)) }()
	lines, err := c.lines(ctx, prefix)
	if err != nil {
		return err
	}
	if f.json {
		return show.Document(os.Stdout, listing(lines, c.orphan))
	}
	if len(lines) == 0 {
		fmt.Fprintln(os.Stderr, nothing)
		return nil
	}
	return printRows(show.Table(lines, time.Now(), c.orphan))
}

// nothing is said where there would be an empty table, or no line.
const nothing = "no lock is in use"

// linesView is a list of lines in JSON.
type linesView struct {
	Lines []show.Line `json:"lines"`
}

func listing(lines []holdgate.Line, orphans show.Orphans) linesView {
	v := linesView{Lines: make([]show.Line, 0, len(lines))}
	for _, l := range lines {
		v.Lines = append(v.Lines, show.NewLine(l, orphans))
	}
	return v
}

func printRows(rows []string) error {
	_, err := fmt.Println(strings.Join(rows, "\n"))
	return err
}

// follow shows the table until the program is interrupted.
func (f *lsFlags) follow(ctx context.Context, prefix string) error {
	c, _, err := f.look(ctx)
	if err != nil {
		return err
	}
	lines := make(map[string]holdgate.Line)
	draw := f.drawer(c.orphan)
	snapshots := follow(ctx, c, holdgate.Query{Name: prefix, Prefix: true})
	second := time.NewTicker(time.Second) // durations go on while nothing changes
	defer second.Stop()
	for {
		select {
		case s := <-snapshots:
			if s.err != nil {
				return s.err
			}
			update(lines, s.Snapshot)
			err = draw(sorted(lines), true)
		case <-second.C:
			err = draw(sorted(lines), false)
		}
		if err != nil {
			return err
		}
	}
}

// drawer returns how the table is shown: changed tells whether anything did but the time.
func (f *lsFlags) drawer(orphans show.Orphans) func(lines []holdgate.Line, changed bool) error {
	block := show.NewBlock(os.Stdout)
	return func(lines []holdgate.Line, changed bool) error {
		switch {
		case block != nil && !f.json && len(lines) == 0:
			block.Draw(nothing)
			return nil
		case block != nil && !f.json:
			block.Draw(show.Table(lines, time.Now(), orphans)...)
			return nil
		case !changed:
			return nil
		case f.json:
			return show.Record(os.Stdout, listing(lines, orphans))
		case len(lines) == 0:
			return printRows([]string{nothing, ""})
		}
		return printRows(append(show.Table(lines, time.Now(), orphans), ""))
	}
}

// update brings what is known of the lines up to date.
func update(lines map[string]holdgate.Line, s holdgate.Snapshot) {
	if s.Full {
		clear(lines)
	}
	for _, l := range s.Lines {
		if len(l.Places) == 0 {
			delete(lines, l.Name)
			continue
		}
		lines[l.Name] = l
	}
}

func sorted(lines map[string]holdgate.Line) []holdgate.Line {
	var all []holdgate.Line
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		all = append(all, lines[name])
	}
	return all
}
