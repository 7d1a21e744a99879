// Command tidy runs go mod tidy on every module of the workspace above it.
//
// go mod tidy does not know of go.work, so on its own it would look for the
// modules of this repository in the outside world, where they are not published.
// This command tidies a copy of each go.mod to which the replaces of go.work were
// added, and writes the copy back without them.
//
// It does not tidy its own module, which is out of the workspace.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
)

func main() {
	check := flag.Bool("check", false, "change nothing; fail when a module is not tidy")
	work := flag.String("work", "../go.work", "the `file` that names the modules")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *work, *check); err != nil {
		fmt.Fprintln(os.Stderr, "tidy:", err)
		stop()
		os.Exit(1)
	}
}

func run(ctx context.Context, workFile string, check bool) error {
	ws, err := readWorkspace(workFile)
	if err != nil {
		return err
	}
	untidy := false
	for _, dir := range ws.modules {
		files, err := ws.tidied(ctx, dir)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		for _, f := range files {
			if !f.changed() {
				continue
			}
			untidy = true
			if check {
				fmt.Fprintf(os.Stderr, "%s is not tidy; it should be:\n%s\n", f.path, f.after)
				continue
			}
			if err := f.write(); err != nil {
				return err
			}
		}
	}
	if check && untidy {
		return fmt.Errorf("run make tidy")
	}
	return nil
}
