package filedriver

import (
	"context"
	"errors"
	"io/fs"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// doubt is how often a line is read again while a place ahead may go without anybody
// telling: one of other software, or one that is marked, whose evictor may be
// ended between removing it and the poke.
//
// Otherwise an operator who removes files by hand is the only one who tells nobody.
// For him, a sleeper looks at a few dates every slowLook.
const (
	doubt    = time.Second
	slowLook = 3 * time.Second
)

// Wait sleeps until the place is granted. It is woken by who makes room, or by the end
// of a session ahead.
func (s *Session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	if err := checkPlace(p.Line, p.ID); err != nil {
		return driver.Place{}, err
	}
	k, err := s.calls.begin(ctx)
	if err != nil {
		return driver.Place{}, err
	}
	defer k.done()
	w := s.sleeper(s.d.line(p.Line), p.ID)
	defer w.close()
	out, err := w.wait(k)
	return out, translate(err)
}

// sleeper is a call of Wait.
type sleeper struct {
	s    *Session
	line *line
	id   string
	// roused is sent to when the line is worth reading.
	roused chan struct{}
	// vigils are for the ends of the sessions ahead.
	vigils map[string]*vigil
	// date is that of the directory, before it was last read.
	date date
	// told says that the place's file tells that somebody sleeps.
	told bool
}

func (s *Session) sleeper(l *line, id string) *sleeper {
	w := &sleeper{s: s, line: l, id: id, roused: make(chan struct{}, 1), vigils: map[string]*vigil{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits[id] = append(s.waits[id], w)
	return w
}

func (w *sleeper) wait(ctx context.Context) (driver.Place, error) {
	for {
		if ctx.Err() != nil {
			return driver.Place{}, w.giveUp(ctx)
		}
		v, i, err := w.look()
		if err != nil {
			return driver.Place{}, err
		}
		switch granted, err := w.granted(ctx, &v, i); {
		case err != nil:
			return driver.Place{}, err
		case granted:
			return w.wakeUp(&v, i)
		}
		// Who makes room must know of us before the reading after which we sleep.
		if !w.told {
			if err := w.tell(&v.places[i]); err != nil {
				return driver.Place{}, err
			}
			continue
		}
		again, err := w.watch(&v, i)
		if err != nil {
			return driver.Place{}, err
		}
		w.sleep(ctx, again)
	}
}

// look reads the line, and finds the own place in it.
func (w *sleeper) look() (view, int, error) {
	w.date = dateOf(w.line.dir)
	if err := w.s.stands(); err != nil {
		return view{}, 0, err
	}
	v, err := w.line.scan()
	if err != nil {
		return v, 0, err
	}
	i := v.find(w.id)
	if i < 0 || v.places[i].Session != w.s.id {
		return v, 0, gone(w.line.name, w.id)
	}
	return v, i, nil
}

// granted reports whether the place is granted in this view, and cannot be taken for a
// waiting one by an evictor.
//
// An evictor first marks, and then reads the line to see whether the place waits. If
// there is no mark after we read that we fit, then whoever marks now reads that too,
// and leaves us alone. If there is one, only the stripe can tell: no evictor is at
// work while we hold it.
func (w *sleeper) granted(ctx context.Context, v *view, i int) (bool, error) {
	fits := v.fits(i)
	if fits && !exists(w.line.beside(&v.places[i], sideMark)) {
		return true, nil
	}
	if !fits && !v.notes[i].marked {
		return false, nil
	}
	return w.settle(ctx)
}

// settle decides about a place that is marked: granted, it stays; waiting, it goes, as
// its evictor did not live to see to that.
func (w *sleeper) settle(ctx context.Context) (bool, error) {
	if err := w.line.stripe.lock(ctx); err != nil {
		return false, err
	}
	defer w.line.stripe.unlock()
	v, i, err := w.look()
	if err != nil {
		return false, err
	}
	if v.fits(i) {
		return true, nil
	}
	if err := w.line.expel(&v, i); err != nil {
		return false, err
	}
	w.s.forget(w.id)
	return false, gone(w.line.name, w.id)
}

// tell makes the file which says that somebody sleeps until this place is granted.
func (w *sleeper) tell(p *driver.Place) error {
	err := w.s.name(w.line.beside(p, sideWait))
	if err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	w.told = true
	w.s.setWaiting(w.id, true)
	return nil
}

// untell undoes tell.
func (w *sleeper) untell(p *driver.Place) {
	_ = w.s.d.root.unlink(w.line.beside(p, sideWait)) // at worst, we are poked for nothing
	w.told = false
	w.s.setWaiting(w.id, false)
}

func (s *Session) setWaiting(id string, waiting bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if st := s.places[id]; st != nil {
		st.waiting = waiting
	}
}

// wakeUp returns the place that is granted.
func (w *sleeper) wakeUp(v *view, i int) (driver.Place, error) {
	if w.told || v.notes[i].waiting {
		w.untell(&v.places[i])
	}
	p, err := w.line.place(v, i)
	p.Granted = true
	return p, err
}

// giveUp is for a wait that ends though the place stands: those behind must not rely on
// it any more to watch those ahead.
func (w *sleeper) giveUp(ctx context.Context) error {
	if !w.told || w.s.calls.ended() != nil {
		return cancelled(ctx)
	}
	if v, err := w.line.scan(); err == nil {
		if i := v.find(w.id); i >= 0 {
			w.untell(&v.places[i])
			w.line.wake(&v, leaver{&v.places[i], true})
		}
	}
	return cancelled(ctx)
}

// watch sees to it that the end of any session that matters wakes us. Again is when to
// look even so.
func (w *sleeper) watch(v *view, i int) (again time.Duration, err error) {
	sessions, doubtful := v.watched(i)
	w.keepVigil(sessions)
	var ended []string
	for session, vigil := range w.vigils {
		if vigil.ended() {
			ended = append(ended, session)
		}
	}
	if reaped, err := w.line.reap(v, ended); err != nil || reaped {
		w.rouse()
		return doubt, err
	}
	if doubtful {
		return doubt, nil
	}
	return slowLook, nil
}

// keepVigil watches these sessions and no others.
func (w *sleeper) keepVigil(sessions []string) {
	wanted := map[string]bool{}
	for _, session := range sessions {
		if w.s.d.owns(session) {
			continue
		}
		wanted[session] = true
		if w.vigils[session] == nil {
			w.vigils[session] = w.s.d.keepVigil(session, w.rouse)
		}
		w.vigils[session].check()
	}
	for session, vigil := range w.vigils {
		if !wanted[session] {
			vigil.close()
			delete(w.vigils, session)
		}
	}
}

// sleep returns when the line is worth reading.
func (w *sleeper) sleep(ctx context.Context, pause time.Duration) {
	late := time.NewTicker(pause)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.roused:
			return
		case <-late.C:
			if pause == doubt || w.changed() {
				return
			}
		}
	}
}

// changed looks for what an operator may have done.
func (w *sleeper) changed() bool {
	for _, vigil := range w.vigils {
		vigil.check() // it rouses us
	}
	return !exists(w.s.d.root.session(w.s.id)) || !w.date.same(w.line.dir)
}

func (w *sleeper) rouse() {
	select {
	case w.roused <- struct{}{}:
	default: // it will look anyway
	}
}

func (w *sleeper) close() {
	for _, vigil := range w.vigils {
		vigil.close()
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	rest := w.s.waits[w.id]
	for i := range rest {
		if rest[i] == w {
			rest = append(rest[:i:i], rest[i+1:]...)
			break
		}
	}
	if w.s.waits[w.id] = rest; len(rest) == 0 {
		delete(w.s.waits, w.id)
	}
}

// rouse wakes those who wait for a place.
func (s *Session) rouse(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waits[id] {
		w.rouse()
	}
}

// rouseAll wakes everybody.
func (s *Session) rouseAll() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sleepers := range s.waits {
		for _, w := range sleepers {
			w.rouse()
		}
	}
}
