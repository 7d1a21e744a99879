package filedriver

import (
	"path/filepath"

	"github.com/holdgate/holdgate/driver"
)

// observe has changes of a directory told, or its date taken when that cannot be had.
// A listing needs neither.
func (w *watch) observe(path string) {
	if w.q.Once {
		return
	}
	if w.d.observer.observe(path, w.news) {
		delete(w.dates, path)
		return
	}
	w.dates[path] = dateOf(path)
}

// lookForNews compares dates.
func (w *watch) lookForNews() {
	for path, date := range w.dates {
		if date.same(path) {
			continue
		}
		if path != w.d.root.linesDir() {
			if w.q.Prefix && !exists(path) {
				delete(w.dates, path)
			}
			w.news.tell(filepath.Base(path))
			continue
		}
		w.dates[path] = dateOf(path)
		dirs, _ := w.d.root.names(path) // next time
		for _, dir := range dirs {
			if _, dated := w.dates[w.d.lineDir(dir)]; !dated {
				w.news.tell(dir)
			}
		}
	}
}

// keepVigils watches the sessions of other processes that have places in the lines.
func (w *watch) keepVigils() {
	if w.q.Once {
		return
	}
	wanted := map[string]bool{}
	for _, line := range w.lines {
		for i := range line.Places {
			if p := &line.Places[i]; !p.Foreign && !w.d.owns(p.Session) {
				wanted[p.Session] = true
			}
		}
	}
	for session := range wanted {
		if w.vigils[session] == nil {
			w.vigils[session] = w.d.keepVigil(session, w.news.rouse)
		}
		w.vigils[session].check()
	}
	for session, v := range w.vigils {
		if !wanted[session] {
			v.close()
			delete(w.vigils, session)
		}
	}
}

// addEnded adds the directories of lines in which a session ended.
func (w *watch) addEnded(dirs map[string]bool) {
	for session, v := range w.vigils {
		if !v.ended() {
			continue
		}
		for dir, line := range w.lines {
			if hasSession(line, session) {
				dirs[dir] = true
			}
		}
	}
}

func hasSession(line driver.Line, session string) bool {
	for i := range line.Places {
		if line.Places[i].Session == session {
			return true
		}
	}
	return false
}
