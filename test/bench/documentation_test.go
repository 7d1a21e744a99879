package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// repoDocs is the documentation of this repository.
func repoDocs() documentation { return documentation{filepath.Join("..", "..", "docs")} }

func TestDocumentationIsWrittenFromTheNumbers(t *testing.T) {
	t.Parallel()
	stale, err := repoDocs().stale()
	if err != nil {
		t.Fatal(err)
	}
	if len(stale) > 0 {
		t.Errorf("got %q, which are not what their numbers say; make bench-docs writes them", stale)
	}
}

// TestDocumentationFollowsTheNumbers writes a small documentation, and changes a number.
func TestDocumentationFollowsTheNumbers(t *testing.T) {
	t.Parallel()
	d := documentation{t.TempDir()}
	writeFile(t, d.page(), "before\n<!-- numbers: limits Redis -->\noutdated\n<!-- end of numbers -->\n"+
		"<!-- numbers: case RedisFree -->\n<!-- end of numbers -->\n<!-- numbers: plot redis-free -->\n<!-- end of numbers -->\nafter\n")
	found := func(rate float64) results {
		return results{"RedisFree": numbers{
			"holdgate:rate": {Value: rate, Within: &interval{rate - 1, rate + 1}}, "redislock:rate": {Value: 5000},
			"client/best": {Value: 0.7, Within: &interval{0.6, 0.75}},
		}}
	}
	keep(t, d, found(4000))
	page := readFile(t, d.page())
	for _, want := range []string{
		"before\n", "after\n", "| redislock | 5,000/s |\n| holdgate | 4,000/s |",
		"| 0.7 | 0.6 to 0.75 | **missed** |", "![Redis. A free lock", "redislock: 5,000/s; holdgate: 4,000/s.](performance/redis-free.svg)",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("page: got\n%s\nwant %q in it", page, want)
		}
	}
	if strings.Contains(page, "outdated") {
		t.Errorf("page: got\n%s\nwant the old part gone", page)
	}
	wantStale(t, d)

	picture := readFile(t, d.beside("redis-free.svg"))
	keep(t, d, found(4400))
	if readFile(t, d.beside("redis-free.svg")) == picture || readFile(t, d.page()) == page {
		t.Error("a number changed, and the picture or the page did not")
	}
	wantStale(t, d)

	writeFile(t, d.page(), page)
	writeFile(t, d.beside("nothing.svg"), "")
	wantStale(t, d, d.page(), d.beside("nothing.svg"))
}

func TestRecordForgetsOtherMachines(t *testing.T) {
	t.Parallel()
	one, versions := results{"One": numbers{"x": {Value: 1}}}, map[string]string{"go": "go1"}
	for name, tt := range map[string]struct {
		on       machine
		versions map[string]string
		want     int
	}{
		"the same":       {machine{Cores: 2}, versions, 2},
		"another":        {machine{Cores: 4}, versions, 1},
		"other versions": {machine{Cores: 2}, map[string]string{"go": "go2"}, 1},
	} {
		r := &record{Schema: schema}
		r.add(one, run{}, machine{Cores: 2}, versions)
		r.add(results{"Two": nil}, run{}, tt.on, tt.versions)
		if got := len(r.Benchmarks); got != tt.want {
			t.Errorf("%s: got %d benchmarks, want %d", name, got, tt.want)
		}
	}
}

func TestFillRefusesWhatItDoesNotUnderstand(t *testing.T) {
	t.Parallel()
	for _, page := range []string{
		"<!-- numbers: machine -->\n",
		"<!-- end of numbers -->\n",
		"<!-- numbers: machine -->\n<!-- numbers: machine -->\n<!-- end of numbers -->\n",
		"<!-- numbers: -->\n<!-- end of numbers -->\n",
		"<!-- numbers: rumours Etcd -->\n<!-- end of numbers -->\n",
		"<!-- numbers: limits Nothing -->\n<!-- end of numbers -->\n",
		"<!-- numbers: plot nothing -->\n<!-- end of numbers -->\n",
		"<!-- numbers: plot -->\n<!-- end of numbers -->\n",
	} {
		if got, err := fill(page, parts{&record{}}.write); err == nil {
			t.Errorf("fill(%q): got %q, want an error", page, got)
		}
	}
}

func TestReadRecordRefusesOtherSchemas(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), recordName)
	writeFile(t, path, `{"schema": 99}`)
	if got, err := readRecord(path); err == nil {
		t.Errorf("got %v, want an error", got)
	}
}

func keep(t *testing.T, d documentation, found results) {
	t.Helper()
	during := run{Begun: time.Date(2026, 11, 30, 21, 0, 0, 0, time.UTC), Load: 0.5}
	if err := d.keep(found, during, map[string]string{"go": "go1"}); err != nil {
		t.Fatal(err)
	}
}

func wantStale(t *testing.T, d documentation, want ...string) {
	t.Helper()
	got, err := d.stale()
	if err != nil || strings.Join(got, " ") != strings.Join(want, " ") {
		t.Errorf("stale: got %q, %v, want %q", got, err, want)
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o600))
	if err != nil {
		t.Fatal(err)
	}
}
