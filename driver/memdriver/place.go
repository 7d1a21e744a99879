package memdriver

import (
	"bytes"

	"github.com/holdgate/holdgate/driver"
)

// place is a place that stands, as the store keeps it: in its line, and in the
// list of its session.
type place struct {
	driver.Place

	line           *line
	before, behind *place
	// seq is the position. It is Order, but foreign places have one too.
	seq uint64

	session      *record // nil: foreign
	older, newer *place  // of the same session

	// wake is closed when the place was granted or removed; nil while nobody waits.
	wake chan struct{}
}

// view returns the place as callers may have it: nothing of it is shared.
func (p *place) view() driver.Place {
	out := p.Place
	out.Data = bytes.Clone(p.Data)
	if p.Eviction != nil {
		mark := *p.Eviction
		out.Eviction = &mark
	}
	return out
}

func (p *place) grant() {
	p.Granted = true
	p.signal()
}

// signal wakes everybody who waits for this place.
func (p *place) signal() {
	if p.wake != nil {
		close(p.wake)
		p.wake = nil
	}
}

// awaited returns the channel that signal closes.
func (p *place) awaited() <-chan struct{} {
	if p.wake == nil {
		p.wake = make(chan struct{})
	}
	return p.wake
}

// firstWaiting returns the first place from here on that is not granted. Those it
// passes have no units.
func (p *place) firstWaiting() *place {
	for p != nil && p.Granted {
		p = p.behind
	}
	return p
}
