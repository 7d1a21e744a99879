package filedriver

import (
	"context"
	"slices"
	"time"
)

// maxReadings bounds how often a line that is changing is read.
const maxReadings = 8

// settle reads a line until a view is its state at one moment: until two readings in a
// row show the same, as neither a place nor a mark ever comes back.
//
// Where places keep changing too fast for that, those that entered during the last
// reading are left out. Then nobody is shown without who is ahead of him: whoever
// was ahead of one that the reading before shows, was there when the last one began.
func settle(read func() (view, error)) (view, error) {
	before, err := read()
	if err != nil {
		return before, err
	}
	for n := 1; ; n++ {
		v, err := read()
		if err != nil || samePlaces(&before, &v) {
			return v, err
		}
		if n == maxReadings {
			v.leaveOut(before.newest())
			v.doubtful = true
			return v, nil
		}
		before = v
	}
}

func samePlaces(a, b *view) bool { return slices.Equal(a.notes, b.notes) }

// leaveOut drops the places after this order.
func (v *view) leaveOut(order uint64) {
	at := v.behind(order)
	v.places, v.notes = v.places[:at], v.notes[:at]
}

// patienceForCertainty is how long an evictor at work is waited for.
const patienceForCertainty = 20 * time.Millisecond

// certain reads the line so that a place that fits is granted, and will not be taken for
// a waiting one by an evictor.
//
// Without a mark that is so at once: see sleeper.granted. With one, it is so while we hold
// the stripe. When that cannot be had, the view is doubtful about places with a mark.
func (l *line) certain(ctx context.Context) (view, error) {
	v, err := settle(l.scan)
	if err != nil || !v.disputed() {
		return v, err
	}
	ctx, cancel := context.WithTimeout(ctx, patienceForCertainty)
	defer cancel()
	if l.stripe.lock(ctx) != nil {
		v.doubtful = true
		return v, nil
	}
	defer l.stripe.unlock()
	return l.scan()
}

// disputed reports whether a place fits that has a mark.
func (v *view) disputed() bool {
	for i, n := range v.notes {
		if n.marked && v.fits(i) {
			return true
		}
	}
	return false
}
