package filedriver

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"strconv"
	"sync"

	"github.com/holdgate/holdgate/driver"
)

// firstVersion is the version of a place that was never updated.
const firstVersion = 1

// place returns the place at i as the contract has it, with all that lies beside it.
func (l *line) place(v *view, i int) (driver.Place, error) {
	p, n := v.places[i], v.notes[i]
	if p.Foreign {
		p.Granted = v.fits(i)
		return p, nil
	}
	p.Owner = l.d.owner(p.Session)
	if err := l.readData(&p); err != nil {
		return p, err
	}
	if n.marked {
		mark, err := l.readMark(&p)
		if err != nil {
			return p, err
		}
		p.Eviction = mark
	}
	p.Granted = v.fits(i) && !(v.doubtful && n.marked) || l.d.granted(&p)
	return p, nil
}

// readData fills in data and version.
func (l *line) readData(p *driver.Place) error {
	content, err := readFile(l.beside(p, sideData))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	head, data, _ := bytes.Cut(content, []byte("\n"))
	version, err := strconv.ParseUint(string(head), 10, 64)
	if err != nil {
		return &fs.PathError{Op: "read", Path: l.beside(p, sideData), Err: err}
	}
	p.Version = version
	if len(data) > 0 {
		p.Data = data
	}
	return nil
}

// dataFile is what the file with data and version says.
func dataFile(p *driver.Place) []byte {
	content := strconv.AppendUint(nil, p.Version, 10)
	content = append(content, '\n')
	return append(content, p.Data...)
}

// writeData makes data and version those of the place.
func (l *line) writeData(p *driver.Place) error {
	return l.d.root.put(l.beside(p, sideData), dataFile(p))
}

// mark is an eviction as it lies beside a place.
type mark struct {
	Reason string `json:"reason"`
	By     string `json:"by"`
}

// readMark reads the eviction of a place, nil when there is none.
func (l *line) readMark(p *driver.Place) (*driver.Eviction, error) {
	content, err := readFile(l.beside(p, sideMark))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var m mark
	if err := json.Unmarshal(content, &m); err != nil {
		return nil, &fs.PathError{Op: "read", Path: l.beside(p, sideMark), Err: err}
	}
	return &driver.Eviction{Line: l.name, PlaceID: p.ID, Reason: m.Reason, By: m.By}, nil
}

// owners remembers the owner texts of sessions: they never change.
type owners struct {
	mu    sync.Mutex
	known map[string]string
}

// maxOwners bounds what is remembered.
const maxOwners = 4096

// owner returns the owner text of a session, or nothing when it is not told any more.
func (d *Driver) owner(session string) string {
	d.owners.mu.Lock()
	text, ok := d.owners.known[session]
	d.owners.mu.Unlock()
	if ok {
		return text
	}
	who, err := d.readIdentity(session)
	if err != nil {
		return ""
	}
	d.owners.mu.Lock()
	defer d.owners.mu.Unlock()
	if d.owners.known == nil || len(d.owners.known) >= maxOwners {
		d.owners.known = map[string]string{}
	}
	d.owners.known[session] = who.Owner
	return who.Owner
}
