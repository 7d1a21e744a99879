package filedriver

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// snapshot reads the lines of a query and returns those that are not as known.
func (d *Driver) snapshot(ctx context.Context, q driver.Query, known map[string]driver.Line, full bool) (driver.Snapshot, error) {
	k, err := d.calls.begin(ctx)
	if err != nil {
		return driver.Snapshot{}, err
	}
	defer k.done()
	if err := checkQuery(q); err != nil {
		return driver.Snapshot{}, err
	}
	names, err := d.lineNames(q)
	if err != nil {
		return driver.Snapshot{}, translate(err)
	}
	for name := range known {
		if !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	snap := driver.Snapshot{Full: full}
	for _, name := range names {
		l, err := d.line(name).show()
		if err != nil {
			return snap, translate(err)
		}
		if reflect.DeepEqual(known[name].Places, l.Places) || len(l.Places) == 0 && len(known[name].Places) == 0 {
			continue
		}
		if len(l.Places) == 0 {
			delete(known, name)
		} else {
			known[name] = l
		}
		snap.Lines = append(snap.Lines, l)
	}
	return snap, nil
}

// lineNames returns the names of the lines that have a directory and match.
func (d *Driver) lineNames(q driver.Query) ([]string, error) {
	if !q.Prefix {
		return []string{q.Name}, nil
	}
	dirs, err := d.root.names(d.root.linesDir())
	if err != nil {
		return nil, err
	}
	var out []string
	for _, dir := range dirs {
		if name, ok := d.lineName(dir); ok && q.Matches(name) {
			out = append(out, name)
		}
	}
	return out, nil
}

// lineName returns the name of the line that a directory is for.
func (d *Driver) lineName(dir string) (string, bool) {
	if !isHashed(dir) {
		return unescape(dir)
	}
	content, err := os.ReadFile(filepath.Join(d.root.linesDir(), dir, nameFile))
	if errors.Is(err, fs.ErrNotExist) {
		return "", false // bare, or about to be
	}
	name := string(content)
	back, _ := escape(name)
	return name, err == nil && back == dir
}
