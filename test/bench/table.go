package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"
)

// row is a target and what was measured for it.
type row struct {
	target
	measured bool
	value    float64
	// within is where the value may really lie, for one that is told with an interval.
	within *interval
}

// interval is where a number lies with a confidence of 95 %.
type interval struct{ low, high float64 }

// Behind its unit a benchmark reports the ends of a number's interval with these.
const (
	lowEnd  = ":low"
	highEnd = ":high"
)

func compare(targets []target, found results) []row {
	rows := make([]row, len(targets))
	for i, t := range targets {
		value, ok := found[t.from]
		rows[i] = row{target: t, measured: ok, value: value, within: found.interval(t.from)}
	}
	return rows
}

// interval is that of a number, or nil.
func (r results) interval(of key) *interval {
	low, begins := r[key{of.benchmark, of.unit + lowEnd}]
	high, ends := r[key{of.benchmark, of.unit + highEnd}]
	if !begins || !ends {
		return nil
	}
	return &interval{low, high}
}

func missing(rows []row) (n int) {
	for _, r := range rows {
		if !r.measured {
			n++
		}
	}
	return n
}

func printTable(w io.Writer, rows []row) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tw, "measured\t95 %\tlimit\t\t  case")
	for _, r := range rows {
		value, within := "-", ""
		if r.measured {
			value = format(r.value, r.from.unit)
		}
		if r.within != nil {
			within = format(r.within.low, r.from.unit) + " to " + format(r.within.high, r.from.unit)
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t  %s\n", value, within, r.limit.format(r.from.unit), r.verdict(), r.what)
	}
	return tw.Flush()
}

// verdict says whether the limit is kept. It is not known when the number misses the
// limit by less than what it is known to.
func (r row) verdict() string {
	switch {
	case !r.measured:
		return "not measured"
	case r.limit.keeps(r.value):
		return "ok"
	case r.within != nil && (r.limit.keeps(r.within.low) || r.limit.keeps(r.within.high)):
		return "unsure"
	default:
		return "MISSED"
	}
}

// format writes a value for people, with three digits that count.
func format(value float64, unit string) string {
	number := func(v float64) string { return strconv.FormatFloat(v, 'g', 3, 64) }
	switch {
	case strings.HasSuffix(unit, "ns") || unit == "ns/op":
		return formatDuration(value, number)
	case strings.HasSuffix(unit, "-B"):
		return number(value/(1<<20)) + " MiB"
	case strings.HasSuffix(unit, "-%"):
		return number(value) + " %"
	default:
		return number(value)
	}
}

func formatDuration(ns float64, number func(float64) string) string {
	switch d := time.Duration(ns); {
	case d >= time.Second:
		return number(ns/1e9) + " s"
	case d >= time.Millisecond:
		return number(ns/1e6) + " ms"
	case d >= time.Microsecond:
		return number(ns/1e3) + " us"
	default:
		return number(ns) + " ns"
	}
}
