package main

import (
	"bufio"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// key names one number: what a benchmark reported in a unit.
type key struct{ benchmark, unit string }

// results are the numbers of all benchmarks.
type results map[key]float64

// parse reads what go test prints: for each benchmark its name, how often it ran, and
// pairs of a value and its unit.
func parse(r io.Reader) (results, error) {
	procs := regexp.MustCompile(`-\d+$`) // GOMAXPROCS, behind the name
	found := results{}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", lines.Text(), err)
			}
			found[key{name, fields[i+1]}] = value
		}
	}
	return found, lines.Err()
}
