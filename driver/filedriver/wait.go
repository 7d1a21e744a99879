package filedriver

import (
	"context"

	"github.com/holdgate/holdgate/driver"
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

func (w *sleeper) wait(k *call) (driver.Place, error) {
	for k.Err() == nil {
		v, i, err := w.look()
		if err != nil {
			return driver.Place{}, err
		}
		switch granted, err := w.granted(k, &v, i); {
		case err != nil:
			return driver.Place{}, err
		case granted:
			return w.wakeUp(k, &v, i)
		}
		// Who makes room must know of us before the reading after which we sleep.
		if !w.told {
			if err := w.tell(k, &v.places[i]); err != nil {
				return driver.Place{}, err
			}
			continue
		}
		doubtful, err := w.watch(&v, i)
		if err != nil {
			return driver.Place{}, err
		}
		w.sleep(k, doubtful)
	}
	w.giveUp(k)
	return driver.Place{}, cancelled(k)
}

// look reads the line, and finds the own place in it.
func (w *sleeper) look() (view, int, error) {
	if err := w.s.stands(); err != nil {
		return view{}, 0, err
	}
	v, i, err := w.line.find(w.id)
	if err == nil && v.places[i].Session != w.s.id {
		err = gone(w.line.name, w.id)
	}
	return v, i, err
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
	w.s.forget(&v.places[i])
	return false, gone(w.line.name, w.id)
}

// wakeUp returns the place that is granted.
func (w *sleeper) wakeUp(k *call, v *view, i int) (driver.Place, error) {
	if w.told || v.notes[i].waiting {
		w.untell(k, &v.places[i], true)
	}
	p, err := w.line.place(v, i)
	p.Granted = true
	w.s.tookGrant(p)
	return p, err
}

// giveUp is for a wait that ends though the place stands: those behind must not rely on
// it any more to watch those ahead.
func (w *sleeper) giveUp(k *call) {
	if !w.told || w.s.calls.ended() != nil {
		return
	}
	v, i, err := w.line.find(w.id)
	if err == nil && w.untell(k, &v.places[i], false) {
		w.line.wake(&v, leaver{&v.places[i], true}) // what is lost here, Leave makes good
	}
}
