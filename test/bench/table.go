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
}

func compare(targets []target, found results) []row {
	rows := make([]row, len(targets))
	for i, t := range targets {
		value, ok := found[t.from]
		rows[i] = row{t, ok, value}
	}
	return rows
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
	fmt.Fprintln(tw, "measured\tat most\t\t  case")
	for _, r := range rows {
		value, verdict := format(r.value, r.from.unit), "ok"
		switch {
		case !r.measured:
			value, verdict = "-", "not measured"
		case r.value > r.most:
			verdict = "OVER"
		}
		fmt.Fprintf(tw, "%s\t%s\t%s\t  %s\n", value, format(r.most, r.from.unit), verdict, r.what)
	}
	return tw.Flush()
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
