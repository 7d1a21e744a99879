// Command bench measures, and prints a table of what was measured beside what must be
// reached.
//
// All measuring is done by Go benchmarks. Those that the table names are in this
// package, so that one of them can be run alone:
//
//	go test -run='^$' -bench=FilesFree ./test/bench
//
// It fails when something could not be measured, not when it was too slow: that
// depends on the machine, and on what else runs there.
package main

import (
	"context"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
)

func main() {
	pattern := flag.String("bench", ".", "`regexp` of the benchmarks to run")
	packages := flag.String("packages", "work", "`pattern` of the packages to look in")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := run(ctx, *pattern, *packages)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, pattern, packages string) error {
	results, err := measure(ctx, pattern, packages)
	if err != nil {
		return err
	}
	rows := compare(targets(), results)
	if err := printTable(os.Stdout, rows); err != nil {
		return err
	}
	if n := missing(rows); n > 0 {
		return fmt.Errorf("%d of %d rows were not measured", n, len(rows))
	}
	return nil
}

// measure runs the benchmarks, shows what they print as they go on, and returns it.
func measure(ctx context.Context, pattern, packages string) (results, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench="+pattern, "-timeout=30m", packages)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found, readErr := parse(io.TeeReader(out, os.Stderr))
	if err := cmd.Wait(); err != nil {
		return nil, fmt.Errorf("go test: %w", err)
	}
	return found, readErr
}
