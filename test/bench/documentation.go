package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// documentation is the directory with the page that tells what was measured. All that it
// tells in numbers is written from a record that lies beside it.
type documentation struct{ dir string }

func (d documentation) page() string           { return filepath.Join(d.dir, "performance.md") }
func (d documentation) beside(n string) string { return filepath.Join(d.dir, besidePage, n) }

// besidePage is where the record and the pictures are.
const besidePage = "performance"

const recordName = "results.json"

// keep puts what was found into the record, and writes the page anew.
func (d documentation) keep(found results, during run, versions map[string]string) error {
	r, err := readRecord(d.beside(recordName))
	if err != nil {
		return err
	}
	r.add(found, during, thisMachine(), versions)
	if err := os.MkdirAll(d.beside(""), 0o755); err != nil { //nolint:gosec // it is published
		return err
	}
	if err := r.write(d.beside(recordName)); err != nil {
		return err
	}
	return d.rewrite()
}

// rewrite writes the page and the pictures from the record.
func (d documentation) rewrite() error {
	files, err := d.written()
	if err != nil {
		return err
	}
	for path, text := range files {
		if err := os.WriteFile(path, text, 0o644); err != nil { //nolint:gosec // it is published
			return err
		}
	}
	old, err := d.superfluous(files)
	for _, path := range old {
		err = errors.Join(err, os.Remove(path))
	}
	return err
}

// written are the files as they must be, by their paths.
func (d documentation) written() (map[string][]byte, error) {
	r, err := readRecord(d.beside(recordName))
	if err != nil {
		return nil, err
	}
	page, err := os.ReadFile(d.page())
	if err != nil {
		return nil, err
	}
	files := make(map[string][]byte)
	filled, err := fill(string(page), parts{r}.write)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", d.page(), err)
	}
	files[d.page()] = []byte(filled)
	for _, f := range figures() {
		if p, ok := f.draw(r.results()); ok {
			files[d.beside(f.name+".svg")] = p.SVG()
		}
	}
	return files, nil
}

// superfluous are pictures of what is not shown any more.
func (d documentation) superfluous(files map[string][]byte) ([]string, error) {
	pictures, err := filepath.Glob(d.beside("*.svg"))
	return slices.DeleteFunc(pictures, func(path string) bool {
		_, shown := files[path]
		return shown
	}), err
}

// stale are the files that are not as they must be.
func (d documentation) stale() ([]string, error) {
	files, err := d.written()
	if err != nil {
		return nil, err
	}
	found, err := d.superfluous(files)
	if err != nil {
		return nil, err
	}
	for path, want := range files {
		got, err := os.ReadFile(path)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if !bytes.Equal(got, want) {
			found = append(found, path)
		}
	}
	slices.Sort(found)
	return found, nil
}
