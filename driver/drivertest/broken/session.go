package broken

import (
	"context"
	"os"

	"github.com/holdgate/holdgate/driver"
)

// session is a session with a fault.
type session struct {
	driver.Session
	d *handle
}

func (s *session) Renew(ctx context.Context) ([]driver.Eviction, error) {
	marks, err := s.d.do.renew(ctx, s)
	return marks, s.d.fail(ctx, err)
}

func (s *session) Present(ctx context.Context) ([]driver.Place, error) {
	places, err := s.d.do.present(ctx, s)
	for i := range places {
		places[i] = s.d.do.view(places[i])
	}
	return places, s.d.fail(ctx, err)
}

func (s *session) Enter(ctx context.Context, c driver.Claim) (driver.Place, error) {
	line := c.Line
	c.Line = s.d.do.name(line)
	p, err := s.d.do.enter(ctx, s, c)
	return s.answer(ctx, line, p, err)
}

func (s *session) Wait(ctx context.Context, p driver.Place) (driver.Place, error) {
	line := p.Line
	p.Line = s.d.do.name(line)
	p, err := s.d.do.wait(ctx, s, p)
	return s.answer(ctx, line, p, err)
}

func (s *session) Update(ctx context.Context, p driver.Place) (driver.Place, error) {
	line := p.Line
	p.Line = s.d.do.name(line)
	p, err := s.d.do.update(ctx, s, p)
	return s.answer(ctx, line, p, err)
}

func (s *session) Swap(ctx context.Context, p driver.Place, c driver.Claim) (driver.Place, error) {
	line := c.Line
	p.Line, c.Line = s.d.do.name(p.Line), s.d.do.name(c.Line)
	p, err := s.d.do.swap(ctx, s, p, c)
	return s.answer(ctx, line, p, err)
}

// answer is a place as the caller sees it, or an error.
func (s *session) answer(ctx context.Context, line string, p driver.Place, err error) (driver.Place, error) {
	if err != nil {
		return driver.Place{}, s.d.fail(ctx, err)
	}
	p = s.d.do.view(p)
	p.Line = line
	return p, nil
}

func (s *session) Leave(ctx context.Context, line, placeID string) error {
	return s.d.fail(ctx, s.d.do.leave(ctx, s, s.d.do.name(line), placeID))
}

func (s *session) Close(ctx context.Context) error {
	return s.d.fail(ctx, s.d.do.end(ctx, s))
}

// TryAll is that of the session below, if it has one.
func (s *session) TryAll(ctx context.Context, claims []driver.Claim) ([]driver.Place, error) {
	places, err := s.d.do.tryAll(ctx, s, claims)
	for i := range places {
		places[i] = s.d.do.view(places[i])
	}
	return places, s.d.fail(ctx, err)
}

// Inherit is that of the session below, if it has one.
func (s *session) Inherit() ([]*os.File, error) { return s.d.do.inherit(s) }

// Nudges are those of the session below, if it has any.
func (s *session) Nudges() <-chan struct{} { return s.d.do.nudges(s) }

// find returns a place of the line as the driver below shows it.
func (s *session) find(ctx context.Context, line, id string) (driver.Place, bool) {
	l, err := s.d.Driver.Line(ctx, line)
	if err != nil {
		return driver.Place{}, false
	}
	i := l.Find(id)
	if i < 0 {
		return driver.Place{}, false
	}
	return l.Places[i], true
}
