package filedriver

import (
	"slices"
	"strings"

	"github.com/holdgate/holdgate/driver"
)

// view is a line as one reading of its directory showed it.
//
// A directory that changes meanwhile is not read at one moment. What stood throughout
// is in it, what was removed or entered meanwhile may be. So for a place that stood
// when the reading began, what is ahead of it in the view is never less than what
// was ahead at the end of the reading, and that is enough to believe a grant.
type view struct {
	// places are in order. Granted is not set; see fits.
	places []driver.Place
	// notes are what the directory says about each of them.
	notes []note
	// strays are files beside a place that is not there.
	strays []string
	// missing says that there was no directory.
	missing bool
	// doubtful says that a place with a mark may be on its way out, though it fits.
	doubtful bool
}

// note is what a view has about a place beyond the place itself.
type note struct {
	file            string
	waiting, marked bool
}

func (v *view) find(id string) int {
	return slices.IndexFunc(v.places, func(p driver.Place) bool { return p.ID == id })
}

// fits reports whether the place at i is granted in this view.
func (v *view) fits(i int) bool { return driver.Fits(v.places[:i], v.places[i]) }

// admits reports whether a place at the end of the line would be granted.
func (v *view) admits(c *driver.Claim) bool {
	return driver.Fits(v.places, driver.Place{Kind: c.Kind, Capacity: c.Capacity, Units: c.Units})
}

// behind returns the index of the first place whose order is greater.
func (v *view) behind(order uint64) int {
	return 1 + v.lastUpTo(order)
}

func (v *view) lastUpTo(order uint64) int {
	for i := len(v.places) - 1; i >= 0; i-- {
		if !v.places[i].Foreign && v.places[i].Order <= order {
			return i
		}
	}
	return -1
}

// newest returns the greatest order in the view.
func (v *view) newest() uint64 {
	if i := v.lastUpTo(maxOrder); i >= 0 {
		return v.places[i].Order
	}
	return 0
}

// watched returns the part of the line whose end may let the place at i through: those
// ahead of it, back to one that itself waits, and so watches those ahead of itself.
func (v *view) watched(i int) view {
	j := i - 1
	for j > 0 && (!v.notes[j].waiting || v.fits(j)) {
		j--
	}
	j = max(j, 0)
	return view{places: v.places[j:i], notes: v.notes[j:i]}
}

// unannounced reports whether a place of this view may go without anybody telling: one of
// other software, or one that is marked, whose evictor may be ended between removing it
// and the poke.
func (v *view) unannounced() bool {
	for i := range v.places {
		if v.places[i].Foreign || v.notes[i].marked {
			return true
		}
	}
	return false
}

// sessions returns those that places of this view live by, once each.
func (v *view) sessions() []string {
	seen := make(map[string]bool, len(v.places))
	var out []string
	for i := range v.places {
		if p := &v.places[i]; !p.Foreign && !seen[p.Session] {
			seen[p.Session] = true
			out = append(out, p.Session)
		}
	}
	return out
}

// assemble builds a view from the names in a directory. Position says where a file
// that is not ours stands in line, on the scale of orders.
func assemble(line string, names []string, position func(file string) uint64) view {
	slices.Sort(names) // line order; and each place before what lies beside it
	v := view{places: make([]driver.Place, 0, len(names)), notes: make([]note, 0, len(names))}
	var foreign []string
	for _, name := range names {
		switch p, ok := parseFileName(name); {
		case name[0] == '.':
		case ok:
			p.Line = line
			v.places = append(v.places, p)
			v.notes = append(v.notes, note{file: name})
		case !v.beside(name):
			foreign = append(foreign, name)
		}
	}
	for _, name := range foreign {
		v.insertForeign(line, name, position(name))
	}
	return v
}

// beside takes up a file that lies beside a place, and reports whether it is one.
func (v *view) beside(name string) bool {
	_, _, side, ok := parseStem(name)
	if !ok || !isSide(side) {
		return false
	}
	last := len(v.places) - 1
	if last < 0 || !strings.HasPrefix(v.notes[last].file, name[:stemLen]) {
		v.strays = append(v.strays, name)
		return true
	}
	switch p, n := &v.places[last], &v.notes[last]; side {
	case sideWait:
		n.waiting = true
	case sideMark:
		n.marked = true
	case sideData: // read when the place is shown
	default:
		if units, ok := parseCount(side[len(sideUnits):]); ok {
			p.Units = min(p.Units, units)
		}
	}
	return true
}

func isSide(side string) bool {
	switch side {
	case sideWait, sideMark, sideData:
		return true
	}
	units, found := strings.CutPrefix(side, sideUnits)
	_, ok := parseCount(units)
	return found && ok
}

func (v *view) insertForeign(line, name string, position uint64) {
	at := len(v.places)
	for at > 0 && (v.places[at-1].Foreign || v.places[at-1].Order > position) {
		at--
	}
	v.places = slices.Insert(v.places, at, driver.Place{Line: line, ID: name, Foreign: true})
	v.notes = slices.Insert(v.notes, at, note{file: name})
}
