package filedriver

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// state is what can be told about a session from outside.
type state int

const (
	alive state = iota
	dead
	unknown // its file cannot be looked at
)

// state tells whether a session lives: whether its file is there and somebody has it
// locked. A dead one stays dead, as nobody ever locks a file that has its name.
func (d *Driver) state(session string) state {
	if d.owns(session) {
		return alive
	}
	f, err := os.OpenFile(d.root.session(session), os.O_RDONLY|openFlags, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return dead
	}
	if err != nil {
		return unknown
	}
	defer func() { _ = f.Close() }()
	// A shared lock, so that two who look at once do not take each other for the owner.
	switch free, err := lockFile(f, false); {
	case err != nil:
		return unknown
	case free:
		return dead
	}
	return alive
}

// owns reports whether a session is one of this driver, and lives.
func (d *Driver) owns(session string) bool {
	d.mu.Lock()
	own := d.sessions[session]
	d.mu.Unlock()
	return own != nil && own.calls.ended() == nil
}

// reap removes the places of those sessions that are dead, and wakes who may be
// granted now. It needs no lock: nothing brings a dead session back, and a place
// that is removed twice is removed. The session's own file goes too; its places in
// other lines are then of a session without a file, which is dead as well.
func (l *line) reap(v *view, sessions []string) (reaped bool, err error) {
	var buried []string
	for _, session := range sessions {
		if l.d.state(session) == dead {
			buried = append(buried, session)
			l.d.bury(session)
		}
	}
	if len(buried) == 0 {
		return false, nil
	}
	var left []leaver
	var errs []error
	for i := range v.places {
		p := &v.places[i]
		if p.Foreign || !slices.Contains(buried, p.Session) {
			continue
		}
		if err := ignoreMissing(l.d.root.unlink(l.path(v.notes[i].file))); err != nil {
			errs = append(errs, err)
			continue
		}
		left = append(left, leaver{p, v.notes[i].waiting})
	}
	l.departed(left...)
	return true, errors.Join(errs...)
}

// bury removes the files of a session that is dead.
func (d *Driver) bury(session string) {
	// Errors leave files that the next one finds.
	_ = d.root.unlink(d.root.wakePipe(session))
	_ = d.root.unlink(d.root.session(session))
}

// sweepStrays removes what lies beside places that are not there. The caller holds the
// stripe, so that none of them is about to be.
func (l *line) sweepStrays(v *view) {
	for _, file := range v.strays {
		_ = l.d.root.unlink(l.path(file)) // the next newcomer tries again
	}
	v.strays = nil
}

// sweepBeside removes what lies beside a place that was removed.
func (l *line) sweepBeside(v *view, p *driver.Place) {
	prefix := stem(p.Order, p.ID)
	for _, file := range v.strays {
		if strings.HasPrefix(file, prefix) {
			_ = l.d.root.unlink(l.path(file))
		}
	}
}

// maxSwept bounds the work that one Open does for others.
const maxSwept = 8

// sweepSome removes some of what processes left behind that were ended: sessions that
// had no places, and files that never got their name.
func (d *Driver) sweepSome() {
	staged, _ := d.root.names(d.root.stageDir())
	for _, name := range staged[:min(len(staged), maxSwept)] {
		if len(name) == idDigits && isHex(name) {
			d.root.sweep(filepath.Join(d.root.stageDir(), name))
		}
	}
	sessions, _ := d.root.names(d.root.sessionsDir())
	for range min(len(sessions), maxSwept) {
		d.sweepSession(sessions[rand.IntN(len(sessions))])
	}
}

// sweepSession looks at one file among the sessions.
func (d *Driver) sweepSession(name string) {
	id := strings.TrimSuffix(strings.TrimPrefix(name, newPrefix), wakeSuffix)
	if len(id) != sessionDigits || !isHex(id) {
		return // not ours
	}
	switch name {
	case newPrefix + id:
		d.root.sweep(d.root.newSession(id))
	case id + wakeSuffix:
		// The order matters: the file of a session that begins gets its name meanwhile.
		if !exists(d.root.newSession(id)) && !exists(d.root.session(id)) {
			_ = d.root.unlink(d.root.wakePipe(id))
		}
	case id:
		if d.state(id) == dead {
			d.bury(id)
		}
	}
}
