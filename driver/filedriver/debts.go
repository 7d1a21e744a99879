package filedriver

import (
	"sync"
	"time"
)

// debts are lines in which a place was removed and the sleepers were not woken, since
// the line could not be read just then (no descriptor was free, say). They sleep on
// until somebody wakes them, so it is tried until it works.
type debts struct {
	mu    sync.Mutex
	lines map[string]*line
	timer *time.Timer
}

const debtPause = 50 * time.Millisecond

// owe has the sleepers of a line woken as soon as that can be done.
func (d *Driver) owe(l *line) {
	d.debts.mu.Lock()
	defer d.debts.mu.Unlock()
	if d.debts.lines == nil {
		d.debts.lines = map[string]*line{}
	}
	d.debts.lines[l.name] = l
	if d.debts.timer == nil {
		d.debts.timer = time.AfterFunc(debtPause, d.payDebts)
	}
}

// payDebts is a call of the driver. Once that is closed its process no longer stands for
// any session, and sleepers look by themselves.
func (d *Driver) payDebts() {
	k, err := d.calls.begin(d.life)
	if err != nil {
		return
	}
	defer k.done()
	d.debts.mu.Lock()
	lines := d.debts.lines
	d.debts.lines, d.debts.timer = nil, nil
	d.debts.mu.Unlock()
	for _, l := range lines {
		v, err := l.scan()
		if err != nil {
			d.owe(l)
			continue
		}
		for i := range v.places {
			if v.notes[i].waiting && !d.poke(v.places[i].Session, v.places[i].ID) {
				d.owe(l)
			}
		}
	}
}
