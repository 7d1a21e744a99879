package main

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	const output = `goos: linux
pkg: github.com/holdgate/holdgate/test/bench
BenchmarkMemoryFree-2   	  500000	      2345 ns/op	     120 B/op
BenchmarkWaiters        	       1	  10000000 ns/op	         0.25 cpu-%	         3 woken
PASS
`
	found, err := parse(strings.NewReader(output))
	if err != nil {
		t.Fatal(err)
	}
	rows := compare([]target{
		{"fast", key{"MemoryFree", "ns/op"}, 3000},
		{"quiet", key{"Waiters", "cpu-%"}, 1},
		{"a herd", key{"Waiters", "woken"}, 1},
		{"nobody looked", key{"IdleHolds", "heap-B"}, 8 << 20},
	}, found)
	var got strings.Builder
	if err := printTable(&got, rows); err != nil {
		t.Fatal(err)
	}
	const want = `
  measured  at most                case
   2.35 us     3 us            ok  fast
    0.25 %      1 %            ok  quiet
         3        1          OVER  a herd
         -    8 MiB  not measured  nobody looked
`
	if strings.TrimSpace(got.String()) != strings.TrimSpace(want) {
		t.Errorf("table: got\n%s\nwant\n%s", got.String(), want)
	}
	if got := missing(rows); got != 1 {
		t.Errorf("rows not measured: got %d, want 1", got)
	}
}

func TestParseRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	if found, err := parse(strings.NewReader("BenchmarkX 1 fast ns/op\n")); err == nil {
		t.Errorf("got %v, want an error", found)
	}
}

func TestFormat(t *testing.T) {
	t.Parallel()
	tests := []struct {
		value float64
		unit  string
		want  string
	}{
		{820, "ns/op", "820 ns"},
		{1_500, "p50-ns", "1.5 us"},
		{5e6, "over-ns", "5 ms"},
		{1.5e9, "ns/op", "1.5 s"},
		{3 << 19, "heap-B", "1.5 MiB"},
		{4, "renewals", "4"},
	}
	for _, tt := range tests {
		if got := format(tt.value, tt.unit); got != tt.want {
			t.Errorf("format(%v, %q): got %q, want %q", tt.value, tt.unit, got, tt.want)
		}
	}
}
