package main

import (
	"bufio"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// key names one number: what a benchmark reported in a unit.
type key struct{ benchmark, unit string }

// results are the numbers of all benchmarks.
type results map[string]numbers

// numbers are those of a benchmark, by their units. A unit that begins with the name of a
// product and a colon is a measure of it: "concurrency:rate".
type numbers map[string]number

// number is what was measured, and where it really lies, for one that is told with that.
type number struct {
	Value  float64   `json:"value"`
	Within *interval `json:"within,omitempty"`
}

// interval is where a number lies with a confidence of 95 %.
type interval struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// Behind its unit a benchmark reports the ends of a number's interval with these.
const (
	lowEnd  = ":low"
	highEnd = ":high"
)

// of is one number.
func (r results) of(k key) (number, bool) {
	n, ok := r[k.benchmark][k.unit]
	return n, ok
}

// parse reads what go test prints: for each benchmark its name, how often it ran, and
// pairs of a value and its unit. It shows the beginning of each line.
func parse(r io.Reader, progress io.Writer) (results, error) {
	procs := regexp.MustCompile(`-\d+$`) // GOMAXPROCS, behind the name
	found := results{}
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 1<<20) // some report many numbers
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		fmt.Fprintln(progress, strings.Join(fields[:min(len(fields), 4)], " "))
		if len(fields) < 4 || !strings.HasPrefix(fields[0], "Benchmark") {
			continue
		}
		printed := make(map[string]float64)
		for i := 2; i+1 < len(fields); i += 2 {
			value, err := strconv.ParseFloat(fields[i], 64)
			if err != nil {
				return nil, fmt.Errorf("%q: %w", lines.Text(), err)
			}
			printed[fields[i+1]] = value
		}
		name := procs.ReplaceAllString(strings.TrimPrefix(fields[0], "Benchmark"), "")
		found[name] = withIntervals(printed)
	}
	return found, lines.Err()
}

// withIntervals puts the ends of intervals to their numbers.
func withIntervals(printed map[string]float64) numbers {
	found := make(numbers)
	for _, unit := range slices.Sorted(maps.Keys(printed)) {
		if strings.HasSuffix(unit, lowEnd) || strings.HasSuffix(unit, highEnd) {
			continue
		}
		n := number{Value: printed[unit]}
		low, begins := printed[unit+lowEnd]
		high, ends := printed[unit+highEnd]
		if begins && ends {
			n.Within = &interval{low, high}
		}
		found[unit] = n
	}
	return found
}
