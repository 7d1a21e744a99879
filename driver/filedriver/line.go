package filedriver

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/holdgate/holdgate/driver"
)

// line is where one line lies.
type line struct {
	d      *Driver
	name   string
	dir    string
	hashed bool
	stripe *stripe
}

func (d *Driver) line(name string) *line {
	dir, hashed := escape(name)
	return &line{d: d, name: name, dir: filepath.Join(d.root.linesDir(), dir), hashed: hashed, stripe: d.stripes[stripeOf(name)]}
}

func (l *line) path(file string) string { return l.dir + string(filepath.Separator) + file }

// beside returns the path of what lies beside a place.
func (l *line) beside(p *driver.Place, side string) string { return l.path(stem(p.Order, p.ID) + side) }

// Line returns a line, whole. Places of sessions that ended are removed first.
func (d *Driver) Line(ctx context.Context, name string) (driver.Line, error) {
	k, err := d.calls.begin(ctx)
	if err != nil {
		return driver.Line{}, err
	}
	defer k.done()
	if err := driver.CheckName(name); err != nil {
		return driver.Line{}, err
	}
	out, err := d.line(name).show(k)
	return out, translate(err)
}

// show reads the line as people see it.
func (l *line) show(ctx context.Context) (driver.Line, error) {
	v, err := l.certain(ctx)
	if err != nil {
		return driver.Line{}, err
	}
	reaped, err := l.reap(&v, v.sessions())
	if err != nil && !errors.Is(translate(err), driver.ErrDenied) { // who may not clean up may look
		return driver.Line{}, err
	}
	if reaped {
		if v, err = l.certain(ctx); err != nil {
			return driver.Line{}, err
		}
	}
	if len(v.places) == 0 && !v.missing {
		l.d.idle.add(l) // also one that somebody left behind who was ended
	}
	out := driver.Line{Name: l.name, Places: make([]driver.Place, len(v.places))}
	for i := range v.places {
		if out.Places[i], err = l.place(&v, i); err != nil {
			return driver.Line{}, err
		}
	}
	return out, nil
}

// scanBuffer is for reading directories: large enough that a line of some hundred places
// is read in one call.
type scanBuffer [64 << 10]byte

// scan reads the line once. See view for what that is worth.
func (l *line) scan() (view, error) {
	buf, _ := l.d.buffers.Get().(*scanBuffer)
	if buf == nil {
		buf = new(scanBuffer)
	}
	defer l.d.buffers.Put(buf)
	names, err := readNames(l.dir, buf[:])
	if errors.Is(err, fs.ErrNotExist) {
		return view{missing: true}, nil
	}
	if err != nil {
		return view{}, err
	}
	return assemble(l.name, names, l.position), nil
}

// position places a file that is not ours by when it was written, as orders are
// microseconds where the clock does not go back. File systems date by a clock that is some
// milliseconds behind: of two that came at almost one time, the file is first.
func (l *line) position(file string) uint64 {
	info, err := os.Lstat(l.path(file))
	if err != nil {
		return maxOrder
	}
	return uint64(max(0, info.ModTime().UnixMicro()))
}
