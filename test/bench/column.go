package main

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// column is something that is told of each product, or of each size that something grows
// to.
type column struct{ unit, title string }

// columns are all that tables have, in their order.
func columns() []column {
	return []column{
		{"places", "places that stood"},
		{"rate", "grants"},
		{"refusals", "refusals in a second"},
		{"wait-p50-ns", "wait, p50"},
		{"wait-p99-ns", "wait, p99"},
		{"worst-ns", "longest wait"},
		{"handover-p50-ns", "hand-over, p50"},
		{"handover-p99-ns", "hand-over, p99"},
		{"jain", "Jain index"},
		{"passed-ns", "a process passed for"},
		{"cycle-p50-ns", "lock and unlock, p50"},
		{"cycle-p99-ns", "lock and unlock, p99"},
		{"renew-p50-ns", "renewal, p50"},
		{"present-p50-ns", "comparison with the store, p50"},
		{"renewals", "renewals in a TTL"},
		{"cpu-%", "idle: clients, of a core"},
		{"server-%", "idle: server, of a core"},
		{"heap-B", "heap of the client, for each"},
		{"server-B", "memory of the server, for each"},
		{"commits", "commits for a grant"},
		{"reads", "reads for a grant"},
		{"client-ns", "CPU of clients for a grant"},
		{"server-ns", "CPU of the server for a grant"},
		{"allocs", "allocations for a grant"},
	}
}

// oneCase is the table of a benchmark that compares products.
func (p parts) oneCase(benchmark string) string {
	byProduct := measuresOf(p.record.results()[benchmark])
	products := slices.SortedFunc(maps.Keys(byProduct), func(a, b string) int {
		return cmp.Or(
			-cmp.Compare(byProduct[a]["rate"].Value+byProduct[a]["refusals"].Value, byProduct[b]["rate"].Value+byProduct[b]["refusals"].Value),
			strings.Compare(a, b))
	})
	lines := make([]line, len(products))
	for i, product := range products {
		lines[i] = line{product, byProduct[product]}
	}
	return tableOf("product", lines)
}

// growth is the table of benchmarks that measure the same for several sizes.
func (p parts) growth(benchmarks []string) string {
	var text strings.Builder
	for _, benchmark := range benchmarks {
		var lines []line
		sizes := sizesOf(p.record.results(), benchmark)
		for _, size := range slices.Sorted(maps.Keys(sizes)) {
			lines = append(lines, line{digits(float64(size)), sizes[size]})
		}
		text.WriteString(tableOf(benchmark, lines) + "\n")
	}
	return text.String()
}

// measuresOf splits numbers by the products that they are of. Those of none are left out.
func measuresOf(all numbers) map[string]numbers {
	byProduct := make(map[string]numbers)
	for unit, n := range all {
		product, of, ok := strings.Cut(unit, ":")
		if !ok {
			continue
		}
		if byProduct[product] == nil {
			byProduct[product] = make(numbers)
		}
		byProduct[product][of] = n
	}
	return byProduct
}

// sizesOf are the numbers of the benchmarks "name/1", "name/10" and so on.
func sizesOf(all results, name string) map[int]numbers {
	bySize := make(map[int]numbers)
	for benchmark, found := range all {
		text, ok := strings.CutPrefix(benchmark, name+"/")
		if size, err := strconv.Atoi(text); ok && err == nil {
			bySize[size] = found
		}
	}
	return bySize
}

// line is one of a table.
type line struct {
	name  string
	found numbers
}

// tableOf has a column for each measure that any line has.
func tableOf(first string, lines []line) string {
	if len(lines) == 0 {
		return notYet + "\n"
	}
	shown := slices.DeleteFunc(columns(), func(m column) bool {
		return !slices.ContainsFunc(lines, func(l line) bool { _, ok := l.found[m.unit]; return ok })
	})
	var text strings.Builder
	text.WriteString("| " + first)
	for _, m := range shown {
		text.WriteString(" | " + m.title)
	}
	text.WriteString(" |\n|---" + strings.Repeat("|---", len(shown)) + "|\n")
	for _, l := range lines {
		text.WriteString("| " + l.name)
		for _, m := range shown {
			told := ""
			if n, ok := l.found[m.unit]; ok {
				told = format(n.Value, m.unit)
			}
			fmt.Fprintf(&text, " | %s", told)
		}
		text.WriteString(" |\n")
	}
	return text.String()
}
