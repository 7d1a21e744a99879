package holdgate

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// Two who each hold what the other one waits for never go on. Who looks at the store sees
// that if each place tells what is held around the waits for it. It is told lazily, as all that
// nobody waits for: once a wait lasts, and only where there is something to tell.

// maxUnder bounds how many places are told. One of them makes a deadlock.
const maxUnder = 8

// heldAround returns the IDs of the places that are held by the holds that ctx belongs to, the
// innermost first. Some may have ended: their IDs mean nothing to anybody.
func heldAround(ctx context.Context) []string {
	var ids []string
	for h := range holdsOf(ctx) {
		ids = append(ids, h.PlaceID())
		for _, other := range h.others {
			ids = append(ids, other.PlaceID())
		}
	}
	return ids
}

// heldAround is what is held around the waits of the goroutines in line, if p is the place that
// they wait for.
func (l *localLine) heldAround(p *ownPlace) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.place != p {
		return nil
	}
	var ids []string
	for w := range l.queue.all() {
		ids = append(ids, heldAround(w.ctx)...)
	}
	return ids
}

// heldAround is what is held around the waits for the place.
func (p *ownPlace) heldAround() []string {
	if p.line != nil {
		return p.line.heldAround(p)
	}
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if p.at.Granted {
		return nil // the wait is over
	}
	return p.around
}

// waitsWith notes the context of who waits for a place of its own.
func (p *ownPlace) waitsWith(ctx context.Context) {
	around := heldAround(ctx)
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	p.around = around
}

// under is how it is told that these are held around the waits for the place.
func (p *ownPlace) under(around []string) string {
	var some []string
	for _, id := range slices.Concat(around, p.session.client.opts.Under) {
		if len(some) < maxUnder && id != p.claim.ID && !slices.Contains(some, id) {
			some = append(some, id)
		}
	}
	return strings.Join(some, " ")
}

// tellLater has it told that these are held around a wait, should it last.
func (s *session) tellLater(around []string) {
	if len(around) == 0 && len(s.client.opts.Under) == 0 || s.client.features.Layout == driver.LayoutSingle {
		return // nothing to tell, or no place to tell it in
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.noteLaterLocked()
}

// tellAround writes into each place what is held around the waits for it, unless it tells that. It
// reports whether it has to come back: those who wait change.
func (s *session) tellAround() (again bool) {
	for p := range inOrder(s.known()) {
		around := p.heldAround()
		if p.tells(p.under(around)) {
			again = !p.tell() || again
		}
		again = again || len(around) > 0
	}
	return again
}

// tells notes what the place is to tell, and reports whether that has to be written.
func (p *ownPlace) tells(under string) bool {
	p.session.mu.Lock()
	defer p.session.mu.Unlock()
	if !p.answered || p.leaving || p.told == under && !p.untold {
		return false
	}
	p.told, p.untold = under, true
	return true
}

// tell writes what the place is to tell, and reports whether there is no use in trying again.
func (p *ownPlace) tell() bool {
	err := p.rewrite()
	if err != nil && transient(err) && !p.session.failed(err) {
		return false
	}
	p.session.mu.Lock()
	p.untold = false
	p.session.mu.Unlock()
	if errors.Is(err, driver.ErrGone) {
		p.session.reconcileSoon()
	}
	return true
}
