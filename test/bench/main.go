// Command bench measures, and prints a table of what was measured beside what must be
// reached. With -docs it writes that into the documentation, too.
//
// All measuring is done by Go benchmarks. Those that the table names are in this
// package, so that one of them can be run alone:
//
//	go test -run='^$' -bench=FilesFree ./test/bench
//
// It fails when something could not be measured, not when it was too slow: that
// depends on the machine, and on what else runs there. It wants to be started at the top of
// the repository.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"regexp"
	"time"
)

// options are what is asked for.
type options struct {
	pattern  string
	packages string
	docs     string
	again    bool
}

func main() {
	var o options
	flag.StringVar(&o.pattern, "bench", ".", "`regexp` of the benchmarks to run")
	flag.StringVar(&o.packages, "packages", "./test/bench", "`pattern` of the packages to look in")
	flag.StringVar(&o.docs, "docs", "", "`directory` of the documentation: keep the numbers there, and write its tables and pictures")
	flag.BoolVar(&o.again, "again", false, "measure nothing: write them from the numbers that are kept there")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	err := o.run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func (o options) run(ctx context.Context) error {
	switch {
	case o.again && o.docs == "":
		return errors.New("-again goes with -docs")
	case o.again:
		return documentation{o.docs}.rewrite()
	case o.docs == "":
		found, err := measure(ctx, o.pattern, o.packages)
		return errors.Join(err, o.show(found))
	}
	// Before anything is measured: what cannot be kept need not be.
	versions, err := versionsOf(ctx)
	if err != nil {
		return err
	}
	during := run{Begun: time.Now().UTC().Truncate(time.Minute), Load: load(), Commit: commitOf(ctx)}
	found, err := measure(ctx, o.pattern, o.packages)
	return errors.Join(err, o.show(found), documentation{o.docs}.keep(found, during, versions))
}

// show prints the rows of what was asked for.
func (o options) show(found results) error {
	wanted, err := regexp.Compile(o.pattern)
	if err != nil {
		return err
	}
	var asked []target
	for _, t := range targets() {
		if wanted.MatchString("Benchmark" + t.from.benchmark) {
			asked = append(asked, t)
		}
	}
	rows := compare(asked, found)
	if err := printTable(os.Stdout, rows); err != nil {
		return err
	}
	if n := missing(rows); n > 0 {
		return fmt.Errorf("%d of %d rows were not measured", n, len(rows))
	}
	return nil
}

// measure runs the benchmarks, shows how they go on, and returns what they found: also when
// some failed.
func measure(ctx context.Context, pattern, packages string) (results, error) {
	cmd := exec.CommandContext(ctx, "go", "test", "-run=^$", "-bench="+pattern, "-timeout=1h", packages)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	found, readErr := parse(out, os.Stderr)
	if err := cmd.Wait(); err != nil {
		return found, fmt.Errorf("go test: %w", err)
	}
	return found, readErr
}
