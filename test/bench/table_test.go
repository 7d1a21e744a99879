package main

import (
	"io"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	t.Parallel()
	const output = `goos: linux
pkg: github.com/holdgate/holdgate/test/bench
BenchmarkMemoryFree-2   	  500000	      2345 ns/op	     120 B/op
BenchmarkWaiters        	       1	  10000000 ns/op	         0.25 cpu-%	         3 woken
BenchmarkEtcd           	       1	  10000000 ns/op	         0.98 a/b	 0.97 a/b:low	 1.01 a/b:high	 0.9 a/c	 0.8 a/c:low	 0.95 a/c:high	 21 often
PASS
`
	found, err := parse(strings.NewReader(output), io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	rows := compare([]target{
		{"fast", key{"MemoryFree", "ns/op"}, atMost(3000)},
		{"quiet", key{"Waiters", "cpu-%"}, atMost(1)},
		{"a herd", key{"Waiters", "woken"}, atMost(1)},
		{"nobody looked", key{"IdleHolds", "heap-B"}, atMost(8 << 20)},
		{"often", key{"Etcd", "often"}, atLeast(20)},
		{"as fast, as far as one can tell", key{"Etcd", "a/b"}, atLeast(1)},
		{"slower", key{"Etcd", "a/c"}, atLeast(1)},
	}, found)
	var got strings.Builder
	if err := printTable(&got, rows); err != nil {
		t.Fatal(err)
	}
	const want = `
  measured          95 %     limit                case
   2.35 us                 <= 3 us            ok  fast
    0.25 %                  <= 1 %            ok  quiet
         3                    <= 1        MISSED  a herd
         -                <= 8 MiB  not measured  nobody looked
        21                   >= 20            ok  often
      0.98  0.97 to 1.01      >= 1        unsure  as fast, as far as one can tell
       0.9   0.8 to 0.95      >= 1        MISSED  slower
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
	if found, err := parse(strings.NewReader("BenchmarkX 1 fast ns/op\n"), io.Discard); err == nil {
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
