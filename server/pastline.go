package server

import (
	"time"

	"github.com/holdgate/holdgate/driver"
)

// pastLine is what was seen of one line.
type pastLine struct {
	name     string
	standing map[string]*stay // by the ID of the place
	grants   uint64
	waits    spread // of those whose wait was seen from its begin to its end
	holds    spread // likewise
	past     []grant
	crowd    crowd
}

// stay is a place that stands.
type stay struct {
	session, owner   string
	entered, granted time.Time // zero: not seen, or not yet
	holds            bool
}

// grant is one that is over.
type grant struct {
	place, session, owner  string
	entered, granted, over time.Time // entered is zero when it was not seen
	unsure                 bool      // the watch was broken when it began or ended
}

// keptGrants is how many grants of a line are remembered.
const keptGrants = 32

func newPastLine(name string) *pastLine {
	return &pastLine{name: name, standing: make(map[string]*stay), crowd: crowd{every: finest}}
}

// take takes in the line as it stands. exact says that it changed just now, and not at some
// moment at which nobody looked.
func (p *pastLine) take(l driver.Line, now time.Time, exact bool) {
	there := make(map[string]bool, len(l.Places))
	var holding, waiting int32
	for _, at := range l.Places {
		there[at.ID] = true
		if at.Granted {
			holding++
		} else {
			waiting++
		}
		p.stand(at, now, exact)
	}
	for id, s := range p.standing {
		if !there[id] {
			delete(p.standing, id)
			p.ended(id, s, now, exact)
		}
	}
	p.crowd.add(point{at: now, holding: holding, waiting: waiting, peak: waiting, gap: !exact})
}

// stand takes in a place that stands.
func (p *pastLine) stand(at driver.Place, now time.Time, exact bool) {
	s, ok := p.standing[at.ID]
	if !ok {
		s = &stay{session: at.Session, owner: at.Owner}
		if exact {
			s.entered = now
		}
		p.standing[at.ID] = s
	}
	if !at.Granted || s.holds {
		return
	}
	s.holds = true
	if !exact {
		return
	}
	s.granted = now
	p.grants++
	if !s.entered.IsZero() {
		p.waits.add(now.Sub(s.entered))
	}
}

// ended takes in that a place is gone.
func (p *pastLine) ended(id string, s *stay, now time.Time, exact bool) {
	if s.granted.IsZero() {
		return // it never held, or since nobody knows when
	}
	if exact {
		p.holds.add(now.Sub(s.granted))
	}
	if len(p.past) == keptGrants {
		p.past = append(p.past[:0], p.past[1:]...)
	}
	p.past = append(p.past, grant{id, s.session, s.owner, s.entered, s.granted, now, !exact})
}
