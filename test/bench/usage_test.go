package main

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// usage is what processes have used of the machine, each by its own. Linux counts it in
// /proc/<pid>/task/<tid>/schedstat.
type usage []processUsage

type processUsage struct {
	cpu  time.Duration
	runs int64 // how often a thread was put on a core
}

func (l *waitingLine) usage(b *testing.B) usage {
	b.Helper()
	all := make(usage, len(l.waiting))
	for i, w := range l.waiting {
		threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", w.pid))
		if err != nil || len(threads) == 0 {
			b.Fatalf("process %d: cannot tell what it uses: %v", w.pid, err)
		}
		for _, file := range threads {
			all[i].add(b, file)
		}
	}
	return all
}

// add adds the numbers of one thread.
func (u *processUsage) add(b *testing.B, file string) {
	b.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		b.Fatal(err)
	}
	var cpu, delay, runs int64
	if _, err := fmt.Sscan(string(text), &cpu, &delay, &runs); err != nil {
		b.Fatalf("%s: %v", file, err)
	}
	u.cpu += time.Duration(cpu)
	u.runs += runs
}

// since returns what was used after before, of which u may have lost some at its
// head.
func (u usage) since(before usage) usage {
	before = before[len(before)-len(u):]
	used := make(usage, len(u))
	for i := range u {
		used[i] = processUsage{u[i].cpu - before[i].cpu, u[i].runs - before[i].runs}
	}
	return used
}

// cpu returns the sum.
func (u usage) cpu() (sum time.Duration) {
	for _, p := range u {
		sum += p.cpu
	}
	return sum
}

// ran returns how many of the processes ran at all.
func (u usage) ran() (n int) {
	for _, p := range u {
		if p.runs > 0 {
			n++
		}
	}
	return n
}
