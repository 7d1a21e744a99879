package main

import (
	"fmt"
	"io"
	"text/tabwriter"
)

// row is a target and what was measured for it.
type row struct {
	target
	measured bool
	number
}

func compare(targets []target, found results) []row {
	rows := make([]row, len(targets))
	for i, t := range targets {
		n, ok := found.of(t.from)
		rows[i] = row{target: t, measured: ok, number: n}
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
	fmt.Fprintln(tw, "measured\t95 %\tlimit\t\t  case")
	for _, r := range rows {
		fmt.Fprintf(tw, "%s\t%s\t%s\t%s\t  %s\n", r.told(), r.toldWithin(), r.limit.format(r.from.unit), r.verdict(), r.what)
	}
	return tw.Flush()
}

// told is the number for people, or a dash.
func (r row) told() string {
	if !r.measured {
		return "-"
	}
	return format(r.Value, r.from.unit)
}

// toldWithin is where it lies.
func (r row) toldWithin() string {
	if r.Within == nil {
		return ""
	}
	return format(r.Within.Low, r.from.unit) + " to " + format(r.Within.High, r.from.unit)
}

// verdict says whether the limit is kept. It is not known when the number misses the
// limit by less than what it is known to.
func (r row) verdict() string {
	switch {
	case !r.measured:
		return "not measured"
	case r.limit.keeps(r.Value):
		return "ok"
	case r.Within != nil && (r.limit.keeps(r.Within.Low) || r.limit.keeps(r.Within.High)):
		return "unsure"
	default:
		return "MISSED"
	}
}
