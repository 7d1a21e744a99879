package api

import (
	"bytes"
	"fmt"
	"strconv"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// tokenShift makes a fencing token of an order, as holdgate.Token is made: the low bits
// tell apart the grants that one process hands on to itself.
const tokenShift = 8

// Up is a duration in milliseconds, rounded up: what is asked for is not less.
func Up(d time.Duration) int64 {
	ms := d / time.Millisecond
	if d%time.Millisecond > 0 {
		ms++
	}
	return int64(ms)
}

// Down is a duration in milliseconds, rounded down: what was granted is not more.
func Down(d time.Duration) int64 { return int64(d / time.Millisecond) }

// Duration is what Up and Down were made of.
func Duration(ms int64) time.Duration {
	const most = int64(1<<63-1) / int64(time.Millisecond)
	return time.Duration(min(ms, most)) * time.Millisecond
}

// Number reads a decimal string; "" is 0.
func Number(text string) (uint64, error) {
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("%w: %q is no number of 64 bits", driver.ErrInvalid, text)
	}
	return n, nil
}

func text(n uint64) string { return strconv.FormatUint(n, 10) }

// ClaimOf is a claim as the API has it.
func ClaimOf(c driver.Claim) Claim {
	return Claim{
		Line: c.Line, ID: c.ID, Kind: string(c.Kind), Capacity: c.Capacity, Units: c.Units, Data: c.Data, Try: c.Try,
	}
}

// Driver is the claim as a driver takes it.
func (c Claim) Driver() driver.Claim {
	return driver.Claim{
		Line: c.Line, ID: c.ID, Kind: driver.Kind(c.Kind), Capacity: c.Capacity, Units: c.Units, Data: data(c.Data), Try: c.Try,
	}
}

// data is what a driver is given: null is as good as none.
func data(raw []byte) []byte {
	if bytes.Equal(raw, []byte("null")) {
		return nil
	}
	return raw
}

// PlaceOf is a place as the API has it.
func PlaceOf(p driver.Place) Place {
	place := Place{
		Line: p.Line, ID: p.ID, Session: p.Session, Owner: p.Owner, TTL: Down(p.TTL),
		Kind: string(p.Kind), Capacity: p.Capacity, Units: p.Units, Data: p.Data,
		Order: text(p.Order), Version: text(p.Version), Granted: p.Granted, Foreign: p.Foreign,
	}
	if p.Granted && p.Order != 0 {
		place.Token = text(p.Order << tokenShift)
	}
	if p.Eviction != nil {
		e := EvictionOf(*p.Eviction)
		place.Eviction = &e
	}
	return place
}

// Driver is the place as a driver has it.
func (p Place) Driver() (driver.Place, error) {
	order, err := Number(p.Order)
	if err != nil {
		return driver.Place{}, err
	}
	version, err := Number(p.Version)
	if err != nil {
		return driver.Place{}, err
	}
	place := driver.Place{
		Line: p.Line, ID: p.ID, Session: p.Session, Owner: p.Owner, TTL: Duration(p.TTL),
		Kind: driver.Kind(p.Kind), Capacity: p.Capacity, Units: p.Units, Data: data(p.Data),
		Order: order, Version: version, Granted: p.Granted, Foreign: p.Foreign,
	}
	if p.Eviction != nil {
		e := p.Eviction.Driver()
		place.Eviction = &e
	}
	return place, nil
}

// PlacesOf are places as the API has them, never nil.
func PlacesOf(places []driver.Place) []Place {
	all := make([]Place, len(places))
	for i, p := range places {
		all[i] = PlaceOf(p)
	}
	return all
}

// DriverPlaces are places as a driver has them.
func DriverPlaces(places []Place) ([]driver.Place, error) {
	all := make([]driver.Place, len(places))
	for i, p := range places {
		place, err := p.Driver()
		if err != nil {
			return nil, err
		}
		all[i] = place
	}
	return all, nil
}

// LineOf is a line as the API has it.
func LineOf(l driver.Line) Line { return Line{Name: l.Name, Places: PlacesOf(l.Places)} }

// LinesOf are lines as the API has them, never nil.
func LinesOf(lines []driver.Line) []Line {
	all := make([]Line, len(lines))
	for i, l := range lines {
		all[i] = LineOf(l)
	}
	return all
}

// Driver is the line as a driver has it.
func (l Line) Driver() (driver.Line, error) {
	places, err := DriverPlaces(l.Places)
	return driver.Line{Name: l.Name, Places: places}, err
}

// Driver is the snapshot as a driver has it.
func (s Snapshot) Driver() (driver.Snapshot, error) {
	snap := driver.Snapshot{Full: s.Full, Lines: make([]driver.Line, len(s.Lines))}
	for i, l := range s.Lines {
		line, err := l.Driver()
		if err != nil {
			return driver.Snapshot{}, err
		}
		snap.Lines[i] = line
	}
	return snap, nil
}

// EvictionOf is an eviction as the API has it.
func EvictionOf(e driver.Eviction) Eviction {
	return Eviction{Line: e.Line, Place: e.PlaceID, Reason: e.Reason, By: e.By, Force: e.Force}
}

// EvictionsOf are evictions as the API has them, never nil.
func EvictionsOf(marks []driver.Eviction) []Eviction {
	all := make([]Eviction, len(marks))
	for i, e := range marks {
		all[i] = EvictionOf(e)
	}
	return all
}

// Driver is the eviction as a driver has it.
func (e Eviction) Driver() driver.Eviction {
	return driver.Eviction{Line: e.Line, PlaceID: e.Place, Reason: e.Reason, By: e.By, Force: e.Force}
}
