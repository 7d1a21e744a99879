package filedriver

import "slices"

// maxReadings bounds how often a line that is changing is read.
const maxReadings = 8

// settle reads a line until a view is its state at one moment: until a reading was at
// once, or two in a row show the same places, as no place ever comes back.
//
// Where places keep changing too fast for that, those that entered during the last
// reading are left out. Then nobody is shown without who is ahead of him: whoever
// was ahead of one that the reading before shows, was there when the last one began.
func settle(read func() (v view, atOnce bool, err error)) (view, error) {
	before, atOnce, err := read()
	if err != nil || atOnce {
		return before, err
	}
	var v view
	for range maxReadings {
		if v, atOnce, err = read(); err != nil || atOnce || samePlaces(&before, &v) {
			return v, err
		}
		before, v = v, before
	}
	before, v = v, before // v is the last one
	v.leaveOut(before.newest())
	return v, nil
}

func samePlaces(a, b *view) bool {
	return slices.EqualFunc(a.notes, b.notes, func(a, b note) bool { return a.file == b.file })
}

// leaveOut drops the places after this order.
func (v *view) leaveOut(order uint64) {
	at := v.behind(order)
	v.places, v.notes = v.places[:at], v.notes[:at]
}
