package filedriver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// Evict asks a place to go, or removes it.
func (d *Driver) Evict(ctx context.Context, name, placeID string, e driver.Eviction) error {
	if err := checkEvict(name, placeID, &e); err != nil {
		return err
	}
	k, err := d.calls.begin(ctx)
	if err != nil {
		return err
	}
	defer k.done()
	l := d.line(name)
	if e.Force {
		// Without the stripe: it is for when things are stuck.
		return translate(l.evict(placeID, &e))
	}
	if err := l.stripe.lock(k); err != nil {
		return translate(err)
	}
	defer l.stripe.unlock()
	return translate(l.evict(placeID, &e))
}

// checkEvict takes more IDs than clients make: those of foreign places are file names.
func checkEvict(name, placeID string, e *driver.Eviction) error {
	if err := driver.CheckName(name); err != nil {
		return err
	}
	if placeID == "" || len(placeID) > 255 || strings.ContainsAny(placeID, "/\\\x00") {
		return driver.CheckID(placeID)
	}
	return e.Check()
}

func (l *line) evict(placeID string, e *driver.Eviction) error {
	v, i, err := l.find(placeID)
	if err != nil {
		return err
	}
	if v.places[i].Foreign {
		if !e.Force {
			return fmt.Errorf("%w: place %q in line %q was made by other software", driver.ErrUnsupported, placeID, l.name)
		}
		return l.expel(&v, i)
	}
	switch reaped, err := l.reap(&v, []string{v.places[i].Session}); {
	case err != nil:
		return err
	case reaped:
		return gone(l.name, placeID)
	}
	p := v.places[i]
	if err := l.mark(&p, e); err != nil && !e.Force { // by force, also when the disk is full
		return err
	}
	// Sleepers behind it look from now on, should we be ended before we poke them.
	l.announce(p.Order)
	if v, i, err = l.find(placeID); err != nil {
		l.sweepBeside(&v, &p)
		return err
	}
	// Only a view that was read after the mark was made can tell that it waits; see
	// sleeper.granted.
	if v.fits(i) && !e.Force {
		return nil
	}
	return l.expel(&v, i)
}

// find reads the line and finds a place in it.
func (l *line) find(placeID string) (view, int, error) {
	v, err := l.scan()
	if err != nil {
		return v, -1, err
	}
	i := v.find(placeID)
	if i < 0 {
		return v, i, gone(l.name, placeID)
	}
	return v, i, nil
}

// mark writes the eviction beside the place. The first mark stays.
func (l *line) mark(p *driver.Place, e *driver.Eviction) error {
	content, err := json.Marshal(mark{Reason: e.Reason, By: e.By})
	if err != nil {
		return err
	}
	err = l.d.root.putNew(l.beside(p, sideMark), append(content, '\n'))
	if errors.Is(err, fs.ErrExist) {
		return nil
	}
	return err
}

// announce pokes the first sleeper behind a place, to have it look at those ahead.
func (l *line) announce(order uint64) {
	v, err := l.scan()
	if err != nil {
		return
	}
	for i := v.behind(order); i < len(v.places); i++ {
		if v.notes[i].waiting {
			l.d.poke(v.places[i].Session, v.places[i].ID)
			return
		}
	}
}

// expel removes the place at i, whoever's it is, and tells its session.
func (l *line) expel(v *view, i int) error {
	p, n := v.places[i], v.notes[i]
	if err := l.d.root.unlink(l.path(n.file)); err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return gone(l.name, p.ID)
		}
		return err
	}
	if !p.Foreign {
		l.d.poke(p.Session, p.ID)
	}
	l.departed(leaver{&p, n.waiting})
	return nil
}
