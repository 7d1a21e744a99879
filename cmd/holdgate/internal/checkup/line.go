package checkup

import (
	"fmt"
	"slices"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/driver"
)

// Lines tells what is wrong with each line by itself. A lock counts as stuck when it has been held
// for that long while others wait; not those named in except, of which more is known.
func Lines(lines []holdgate.Line, now time.Time, stuck time.Duration, except []string) []Finding {
	var findings []Finding
	for _, l := range lines {
		if !slices.Contains(except, l.Name) {
			findings = append(findings, stuckLine(l, now, stuck)...)
		}
		findings = append(findings, foreign(l)...)
		findings = append(findings, mismatch(l)...)
	}
	return findings
}

// stuckLine tells of the one who has held for longest. A leader leads while others stand by.
func stuckLine(l holdgate.Line, now time.Time, limit time.Duration) []Finding {
	holders, waiting := show.Split(l)
	oldest := -1
	for i, p := range holders {
		known := !p.Since.IsZero() && p.Units > 0 && p.Kind != driver.KindElection
		if known && (oldest < 0 || p.Since.Before(holders[oldest].Since)) {
			oldest = i
		}
	}
	if waiting == 0 || oldest < 0 || now.Sub(holders[oldest].Since) < limit {
		return nil
	}
	p := holders[oldest]
	name := show.Text(l.Name)
	f := Finding{
		Problem: Stuck, Names: []string{l.Name}, Places: []Place{shown(l.Name, p, slices.Index(l.Places, p)+1)},
		Says:  []string{fmt.Sprintf("%s is %s, and %d wait", name, show.HeldBy(p, now), waiting)},
		Means: "It may be at work, or hang. Since when is told by the holder, on its own clock.",
	}
	if e := p.Eviction; e != nil {
		f.Means = fmt.Sprintf("It was asked to go by %s, and has not yet: %s", show.Text(e.By), show.Text(e.Reason))
		f.Do = []string{fmt.Sprintf("holdgate evict %s %s --force --reason stuck # once you know that it does nothing any more", name, p.ID)}
	} else {
		f.Do = []string{fmt.Sprintf("holdgate evict %s %s --reason stuck # asks it to go", name, p.ID)}
	}
	return []Finding{f}
}

// foreign tells of what other software has made, which is no fault by itself.
func foreign(l holdgate.Line) []Finding {
	var findings []Finding
	for i, p := range l.Places {
		if !p.Foreign {
			continue
		}
		behind := len(l.Places) - i - 1
		f := Finding{
			Problem: Foreign, Note: behind == 0, Names: []string{l.Name}, Places: []Place{shown(l.Name, p, i+1)},
			Says:  []string{fmt.Sprintf("other software has a place in %s: %s", show.Text(l.Name), show.Text(p.ID))},
			Means: "It counts as a holder, and ends when that software ends it.",
		}
		if behind > 0 {
			f.Says[0] += fmt.Sprintf(", and %d wait behind it", behind)
		}
		f.Do = []string{fmt.Sprintf("holdgate evict %s %s --force --reason leftover # once you know that nothing uses it", show.Text(l.Name), show.Text(p.ID))}
		findings = append(findings, f)
	}
	return findings
}

// mismatch tells of a name that is used as different locks. Who comes last is refused, mostly; two
// that come at once may stand behind each other.
func mismatch(l holdgate.Line) []Finding {
	native := slices.DeleteFunc(slices.Clone(l.Places), func(p holdgate.Place) bool { return p.Foreign })
	for _, p := range native {
		first := native[0]
		if p.Kind == first.Kind && p.Capacity == first.Capacity {
			continue
		}
		return []Finding{{
			Problem: Mismatch, Names: []string{l.Name},
			Places: []Place{shown(l.Name, first, slices.Index(l.Places, first)+1), shown(l.Name, p, slices.Index(l.Places, p)+1)},
			Says:   []string{fmt.Sprintf("%s is a %s for %s, and a %s for %s", show.Text(l.Name), lock(first), show.Owner(first), lock(p), show.Owner(p))},
			Means:  "They never share it: one waits until all of the other are gone, and newcomers are refused with a mismatch.",
			Do:     []string{fmt.Sprintf("holdgate who %s # and give one of the two another name", show.Text(l.Name))},
		}}
	}
	return nil
}

// lock says what kind of lock a place is of.
func lock(p holdgate.Place) string {
	if p.Kind == driver.KindSemaphore {
		return fmt.Sprintf("%s of %d", p.Kind, p.Capacity)
	}
	return string(p.Kind)
}
