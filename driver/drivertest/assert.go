package drivertest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/holdgate/holdgate/driver"
)

// kinds are all kinds of error; an error matches one of them and no other.
func kinds() []error {
	return []error{
		driver.ErrBusy, driver.ErrGone, driver.ErrConflict, driver.ErrSessionLost,
		driver.ErrUnavailable, driver.ErrUnknownOutcome, driver.ErrUnsupported,
		driver.ErrMismatch, driver.ErrTooLarge, driver.ErrDenied, driver.ErrInvalid,
		driver.ErrClosed,
	}
}

func (e *env) must(err error, format string, args ...any) {
	e.Helper()
	if err != nil {
		e.Fatalf("%s: %v", fmt.Sprintf(format, args...), err)
	}
}

// fails checks that an error is of this kind, and of this kind only.
func (e *env) fails(err, kind error, format string, args ...any) {
	e.Helper()
	what := fmt.Sprintf(format, args...)
	if !errors.Is(err, kind) {
		e.Fatalf("%s: got the error %v, want %q", what, err, kind)
	}
	matched := slices.DeleteFunc(kinds(), func(k error) bool { return !errors.Is(err, k) })
	if len(matched) > 1 {
		e.Fatalf("%s: the error %v is of more than one kind, %q", what, err, matched)
	}
}

// cancelled checks an error of a call whose context ended with this cause.
func (e *env) cancelled(err, cause error, format string, args ...any) {
	e.Helper()
	what := fmt.Sprintf(format, args...)
	if !errors.Is(err, cause) {
		e.Errorf("%s, cancelled: got the error %v, want one that wraps context.Cause, %q", what, err, cause)
	}
	if errors.Is(err, driver.ErrBusy) || errors.Is(err, driver.ErrSessionLost) || errors.Is(err, driver.ErrGone) {
		e.Errorf("%s, cancelled: the error %v claims to know what the store says", what, err)
	}
}

// line reads a line through a handle, and checks what holds for every line.
func (e *env) line(d driver.Driver, name string) driver.Line {
	e.Helper()
	l, err := d.Line(e.ctx(), name)
	e.must(err, "Line %.40q", name)
	if l.Name != name {
		e.Fatalf("Line %.40q answered the line %.40q", name, l.Name)
	}
	e.sound(l)
	return l
}

// line reads a line through the actor's own handle.
func (a *actor) line(name string) driver.Line {
	a.Helper()
	return a.env.line(a.drv, name)
}

// sound checks the invariants of a line, whoever shows it: grants follow from the
// places, positions and orders agree, no place is there twice.
func (e *env) sound(l driver.Line) {
	e.Helper()
	var last uint64
	for i, p := range l.Places {
		if p.Line != l.Name {
			e.Errorf("the line %.40q shows a place of the line %.40q", l.Name, p.Line)
		}
		if want := driver.Fits(l.Places[:i], p); p.Granted != want {
			e.Errorf("place %d of %.40q: granted is %v, but the places ahead say %v", i, l.Name, p.Granted, want)
		}
		if l.Find(p.ID) != i {
			e.Errorf("place %d of %.40q: the ID %s stands there twice", i, l.Name, p.ID)
		}
		if p.Foreign && p.Order == 0 || !e.Tokens {
			continue
		}
		if p.Order <= last {
			e.Errorf("place %d of %.40q: order %d behind order %d", i, l.Name, p.Order, last)
		}
		last = p.Order
	}
}

// stands checks who is in a line, from head to end.
func (e *env) stands(d driver.Driver, name string, want ...driver.Place) driver.Line {
	e.Helper()
	l := e.line(d, name)
	if got, want := idsOf(l.Places), idsOf(want); !slices.Equal(got, want) {
		e.Fatalf("line %.40q: got the places %v, want %v", name, got, want)
	}
	return l
}

// stands checks a line through the actor's own handle.
func (a *actor) stands(name string, want ...driver.Place) driver.Line {
	a.Helper()
	return a.env.stands(a.drv, name, want...)
}

func idsOf(places []driver.Place) []string {
	ids := make([]string, len(places))
	for i, p := range places {
		ids[i] = p.ID
	}
	return ids
}

// find returns the place as a line shows it.
func (e *env) find(l driver.Line, placeID string) driver.Place {
	e.Helper()
	i := l.Find(placeID)
	if i < 0 {
		e.Fatalf("line %.40q does not show the place %s", l.Name, placeID)
	}
	return l.Places[i]
}

// same checks that two views of one place agree in all that cannot have changed.
func (e *env) same(got, want driver.Place, what string) {
	e.Helper()
	if !sameData(got.Data, want.Data) {
		e.Errorf("%s: got the data %.80q, want %.80q", what, got.Data, want.Data)
	}
	g, w := identity(got), identity(want)
	if g != w {
		e.Errorf("%s: got the place\n%+v, want\n%+v", what, g, w)
	}
}

// placeIdentity is the comparable part of a place.
type placeIdentity struct {
	Line, ID, Session, Owner string
	Kind                     driver.Kind
	Capacity, Units          int64
	TTL                      int64
	Order, Version           uint64
	Granted, Foreign, Marked bool
}

func identity(p driver.Place) placeIdentity {
	return placeIdentity{
		Line: p.Line, ID: p.ID, Session: p.Session, Owner: p.Owner,
		Kind: p.Kind, Capacity: p.Capacity, Units: p.Units, TTL: int64(p.TTL),
		Order: p.Order, Version: p.Version,
		Granted: p.Granted, Foreign: p.Foreign, Marked: p.Eviction != nil,
	}
}

// sameData compares as JSON: the contract keeps the value, not its white space.
func sameData(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return len(a) == len(b)
	}
	return bytes.Equal(compact(a), compact(b))
}

func compact(data []byte) []byte {
	var value any
	if json.Unmarshal(data, &value) != nil {
		return data
	}
	plain, err := json.Marshal(value)
	if err != nil {
		return data
	}
	return plain
}

// ended is a context that is over, with a cause.
func (e *env) ended(cause error) context.Context {
	ctx, cancel := context.WithCancelCause(e.Context())
	cancel(cause)
	return ctx
}
