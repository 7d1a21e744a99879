package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// parts writes the marked parts of the page.
type parts struct{ record *record }

// notYet stands where nothing was measured.
const notYet = "*Not measured.*"

func (p parts) write(name string, args []string) (string, error) {
	switch {
	case name == "machine":
		return p.machine(), nil
	case len(args) == 0:
		return "", errors.New("it does not say of what")
	case name == "limits":
		return p.limits(args)
	case name == "case":
		return p.oneCase(args[0]), nil
	case name == "growth":
		return p.growth(args), nil
	case name == "plot":
		return p.plot(args[0])
	}
	return "", fmt.Errorf("there is no part %q", name)
}

func begun(r run) string { return r.Begun.Format("2 January 2006, 15:04 MST") }

func span(first, last string) string {
	if first == last {
		return first
	}
	return first + " to " + last
}

// machine tells where, when and with what it was measured.
func (p parts) machine() string {
	if len(p.record.Benchmarks) == 0 {
		return notYet
	}
	m, runs := p.record.Machine, p.runs()
	var commits []string
	var loads []float64
	for _, r := range runs {
		commits = append(commits, cmp.Or(r.Commit, "unknown"))
		loads = append(loads, r.Load)
	}
	first, last := begun(runs[0]), begun(runs[len(runs)-1])
	versions := make([]string, 0, len(p.record.Versions))
	for _, name := range slices.Sorted(maps.Keys(p.record.Versions)) {
		versions = append(versions, strings.TrimPrefix(name, "github.com/")+" "+strings.TrimPrefix(p.record.Versions[name], "v"))
	}
	return fmt.Sprintf("| | |\n|---|---|\n"+
		"| machine | %s, %d cores, %s, %s, %s, %s |\n"+
		"| versions | %s |\n"+
		"| begun | %s |\n"+
		"| commit | %s |\n"+
		"| load in the minute before | %s |\n",
		m.Processor, m.Cores, formatSize(float64(m.Memory)), m.FileSystem, m.Kernel, m.Platform,
		strings.Join(versions, ", "), span(first, last), strings.Join(slices.Compact(commits), "; "),
		span(digits(slices.Min(loads)), digits(slices.Max(loads))))
}

// runs are those that the numbers come from, in their order.
func (p parts) runs() []run {
	var all []run
	for _, m := range p.record.Benchmarks {
		if !slices.Contains(all, m.Run) {
			all = append(all, m.Run)
		}
	}
	slices.SortFunc(all, func(a, b run) int { return a.Begun.Compare(b.Begun) })
	return all
}

// limits is the table of what must be reached by benchmarks whose names begin with one of
// these words.
func (p parts) limits(prefixes []string) (string, error) {
	var text strings.Builder
	text.WriteString("| case | must reach | measured | 95 % | |\n|---|---|---|---|---|\n")
	found := false
	for _, r := range compare(targets(), p.record.results()) {
		if !slices.ContainsFunc(prefixes, func(word string) bool { return strings.HasPrefix(r.from.benchmark, word) }) {
			continue
		}
		found = true
		verdict := r.verdict()
		if r.measured && verdict != "ok" {
			verdict = "**" + strings.ToLower(verdict) + "**"
		}
		fmt.Fprintf(&text, "| %s | %s | %s | %s | %s |\n", r.what, r.limit.format(r.from.unit), r.told(), r.toldWithin(), verdict)
	}
	if !found {
		return "", errors.New("nothing must be reached there")
	}
	return text.String(), nil
}

// plot shows a picture.
func (p parts) plot(name string) (string, error) {
	for _, f := range figures() {
		if f.name != name {
			continue
		}
		drawn, ok := f.draw(p.record.results())
		if !ok {
			return notYet, nil
		}
		alt := strings.NewReplacer("[", "(", "]", ")").Replace(f.title + ". " + drawn.Words())
		return fmt.Sprintf("![%s](%s/%s.svg)", alt, besidePage, name), nil
	}
	return "", fmt.Errorf("there is no picture %q", name)
}
