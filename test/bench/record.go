package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"reflect"
	"time"
)

// schema is the form of a record. Who reads records refuses others.
const schema = 1

// record is what is kept of what was measured, as JSON: all that the documentation tells in
// numbers comes from it.
type record struct {
	Schema   int               `json:"schema"`
	Machine  machine           `json:"machine"`
	Versions map[string]string `json:"versions"` // of Go, the servers and the peers
	// Benchmarks are by their names, without "Benchmark".
	Benchmarks map[string]measurement `json:"benchmarks"`
}

// measurement is what a benchmark found.
type measurement struct {
	Run     run     `json:"run"`
	Numbers numbers `json:"numbers"`
}

// run is one run of benchmarks.
type run struct {
	Begun time.Time `json:"begun"`
	// Load is how many processes ran or wanted to, on average over the minute before.
	Load   float64 `json:"load"`
	Commit string  `json:"commit,omitempty"`
}

// results are the numbers without the rest.
func (r *record) results() results {
	all := make(results, len(r.Benchmarks))
	for name, m := range r.Benchmarks {
		all[name] = m.Numbers
	}
	return all
}

// readRecord reads one, or makes an empty one where there is none.
func readRecord(path string) (*record, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return &record{Schema: schema}, nil
	}
	if err != nil {
		return nil, err
	}
	var r record
	if err := json.Unmarshal(text, &r); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if r.Schema != schema {
		return nil, fmt.Errorf("%s has the schema %d, not %d", path, r.Schema, schema)
	}
	return &r, nil
}

// write writes it, so that a small change of the numbers is a small change of the file.
func (r *record) write(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o644) //nolint:gosec // it is published
}

// add puts what a run found in the place of what earlier ones found. What was measured on
// another machine, or beside other versions, cannot stand beside it, and goes.
func (r *record) add(found results, during run, on machine, versions map[string]string) {
	if r.Machine != on || !reflect.DeepEqual(r.Versions, versions) {
		r.Benchmarks = nil
	}
	r.Machine, r.Versions = on, versions
	benchmarks := make(map[string]measurement, len(found))
	maps.Copy(benchmarks, r.Benchmarks)
	for name, n := range found {
		benchmarks[name] = measurement{Run: during, Numbers: n}
	}
	r.Benchmarks = benchmarks
}
