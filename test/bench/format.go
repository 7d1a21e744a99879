package main

import (
	"strconv"
	"strings"
	"time"
)

// format writes a value for people, with three digits that count.
func format(value float64, unit string) string {
	switch {
	case strings.HasSuffix(unit, "ns") || unit == "ns/op":
		return formatDuration(value)
	case strings.HasSuffix(unit, "-B"):
		return formatSize(value)
	case strings.HasSuffix(unit, "-%"):
		return digits(value) + " %"
	case unit == "rate" || strings.HasSuffix(unit, ":rate"):
		return digits(value) + "/s"
	default:
		return digits(value)
	}
}

func formatDuration(ns float64) string {
	switch d := time.Duration(ns); {
	case d >= time.Second:
		return digits(ns/1e9) + " s"
	case d >= time.Millisecond:
		return digits(ns/1e6) + " ms"
	case d >= time.Microsecond:
		return digits(ns/1e3) + " us"
	default:
		return digits(ns) + " ns"
	}
}

func formatSize(bytes float64) string {
	switch {
	case bytes >= 1<<20:
		return digits(bytes/(1<<20)) + " MiB"
	case bytes >= 1<<10:
		return digits(bytes/(1<<10)) + " KiB"
	default:
		return digits(bytes) + " B"
	}
}

// digits writes a number with three digits that count, as people do: 21,400, never 2.14e+04.
func digits(v float64) string {
	if v < 0 {
		return "-" + digits(-v)
	}
	rounded, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 3, 64), 64)
	if err != nil {
		panic(err) // it was written one line above
	}
	whole, fraction, broken := strings.Cut(strconv.FormatFloat(rounded, 'f', -1, 64), ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	if broken {
		return whole + "." + fraction
	}
	return whole
}
