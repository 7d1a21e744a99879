package filedriver

import (
	"context"
	"slices"
	"time"
)

// sleeper is a call of Wait.
type sleeper struct {
	s    *Session
	line *line
	id   string
	// roused is sent to when the line is worth reading.
	roused chan struct{}
	// vigils are for the ends of the sessions ahead.
	vigils map[string]*vigil
	// told says that the place's file tells that somebody sleeps.
	told bool
	// date is that of the directory before it was last read. It is guarded by s.mu.
	date date
}

func (s *Session) sleeper(l *line, id string) *sleeper {
	w := &sleeper{s: s, line: l, id: id, roused: make(chan struct{}, 1), vigils: map[string]*vigil{}}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waits[id] = append(s.waits[id], w)
	return w
}

func (w *sleeper) close() {
	for _, vigil := range w.vigils {
		vigil.close()
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	rest := slices.DeleteFunc(w.s.waits[w.id], func(other *sleeper) bool { return other == w })
	if w.s.waits[w.id] = rest; len(rest) == 0 {
		delete(w.s.waits, w.id)
	}
}

// watch sees to it that the end of any session that matters wakes us. Doubtful says that
// a place ahead may go without anybody telling.
func (w *sleeper) watch(v *view, i int) (doubtful bool, err error) {
	sessions, doubtful := v.watched(i)
	w.keepVigil(sessions)
	var ended []string
	for session, vigil := range w.vigils {
		if vigil.ended() {
			ended = append(ended, session)
		}
	}
	reaped, err := w.line.reap(v, ended)
	if reaped {
		w.rouse()
	}
	return doubtful, err
}

// keepVigil watches these sessions and no others.
func (w *sleeper) keepVigil(sessions []string) {
	wanted := map[string]bool{}
	for _, session := range sessions {
		if w.s.d.owns(session) {
			continue // its end pokes us
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

const (
	// doubt is how often a line is read again while a place ahead may go without anybody
	// telling: one of other software, or one that is marked, whose evictor may be ended
	// between removing it and the poke.
	doubt = time.Second
	// An operator who removes files by hand tells nobody either. For him, a sleeper looks
	// at a few dates, soon at first, and then less and less: to wake a process for that
	// costs hundreds of microseconds, and hundreds may sleep. Renew looks too.
	firstGlance  = 5 * time.Second
	lastGlance   = 5 * time.Minute
	glanceFactor = 4
)

// sleep returns when the line is worth reading.
func (w *sleeper) sleep(ctx context.Context, doubtful bool) {
	pause := firstGlance
	if doubtful {
		pause = doubt
	}
	late := time.NewTimer(pause)
	defer late.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-w.roused:
			return
		case <-late.C:
			if doubtful || w.changed() {
				return
			}
			pause = min(glanceFactor*pause, lastGlance)
			late.Reset(pause)
		}
	}
}

// changed looks for what an operator may have done.
func (w *sleeper) changed() bool {
	for _, vigil := range w.vigils {
		vigil.check() // it rouses us
	}
	return !exists(w.s.d.root.session(w.s.id)) || !w.lastDate().same(w.line.dir)
}

func (w *sleeper) setDate(d date) {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.date = d
}

func (w *sleeper) lastDate() date {
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	return w.date
}

func (w *sleeper) rouse() {
	select {
	case w.roused <- struct{}{}:
	default: // it will look anyway
	}
}

// sleepers returns how many calls wait for a place.
func (s *Session) sleepers(id string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.waits[id])
}

// rouse wakes those who wait for a place.
func (s *Session) rouse(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, w := range s.waits[id] {
		w.rouse()
	}
}

// everySleeper returns all calls that wait.
func (s *Session) everySleeper() []*sleeper {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*sleeper
	for _, sleepers := range s.waits {
		out = append(out, sleepers...)
	}
	return out
}

// rouseAll wakes everybody.
func (s *Session) rouseAll() {
	for _, w := range s.everySleeper() {
		w.rouse()
	}
}

// rouseChanged wakes those whose line an operator may have changed.
func (s *Session) rouseChanged() {
	s.d.deaths.check()
	for _, w := range s.everySleeper() {
		if !w.lastDate().same(w.line.dir) {
			w.rouse()
		}
	}
}
