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
	// relied are the files of the own place and of those watched, when the line was last
	// read. They are guarded by s.mu.
	relied []string
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
	ahead := v.watched(i)
	w.rely(ahead.notes, v.notes[i])
	w.keepVigil(ahead.sessions())
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
	return ahead.unannounced(), err
}

// rely takes down the files whose absence would be news.
func (w *sleeper) rely(ahead []note, own note) {
	relied := []string{w.line.path(own.file), w.s.d.root.session(w.s.id)}
	for _, n := range ahead {
		relied = append(relied, w.line.path(n.file))
	}
	w.s.mu.Lock()
	defer w.s.mu.Unlock()
	w.relied = relied
}

// changed reports whether one of those files is gone.
func (w *sleeper) changed() bool {
	w.s.mu.Lock()
	relied := w.relied
	w.s.mu.Unlock()
	return slices.ContainsFunc(relied, func(path string) bool { return !exists(path) })
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
	// telling.
	doubt = time.Second
	// An operator who removes files by hand tells nobody either. For him, a sleeper glances
	// at the files that matter, soon at first, and then less and less: to wake a process
	// costs half a millisecond, whatever it does then, and hundreds may sleep. Renew
	// glances too.
	firstGlance  = 5 * time.Second
	lastGlance   = 5 * time.Minute
	glanceFactor = 6
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
			if doubtful || w.glance() {
				return
			}
			pause = min(glanceFactor*pause, lastGlance)
			late.Reset(pause)
		}
	}
}

// glance looks for what an operator may have done.
func (w *sleeper) glance() (changed bool) {
	for _, vigil := range w.vigils {
		vigil.check() // it rouses us
	}
	return w.changed()
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

// rouseChanged wakes those whom an operator may have let through, or removed.
func (s *Session) rouseChanged() {
	s.d.deaths.check()
	for _, w := range s.everySleeper() {
		if w.changed() {
			w.rouse()
		}
	}
}
