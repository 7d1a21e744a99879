package broken

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// skipping judges by a clock of its own which sessions have expired, and passes over
// their places. But nothing ends them.
type skipping struct {
	mu       sync.Mutex
	deadline map[string]time.Time
}

func skipExpired(do *overrides) {
	judge := &skipping{deadline: make(map[string]time.Time)}
	do.open = judge.open
	do.renew = func(ctx context.Context, s *session) ([]driver.Eviction, error) {
		marks, err := s.Session.Renew(ctx)
		if err == nil {
			judge.extend(s.ID(), s.TTL())
		}
		return marks, err
	}
	do.line = func(ctx context.Context, d driver.Driver, name string) (driver.Line, error) {
		l, err := d.Line(ctx, name)
		return judge.alive(l), err
	}
	do.wait = func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
		return judge.wait(ctx, s, p)
	}
}

func (j *skipping) open(ctx context.Context, d driver.Driver, o driver.SessionOptions) (driver.Session, error) {
	asked := o.TTL
	if o.TTL > 0 {
		o.TTL += time.Hour
	}
	ses, err := d.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	j.extend(ses.ID(), asked)
	return lifetime{Session: ses, reported: asked}, nil
}

func (j *skipping) extend(session string, ttl time.Duration) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.deadline[session] = time.Now().Add(ttl)
}

// alive is the line without the places of sessions that look expired.
func (j *skipping) alive(l driver.Line) driver.Line {
	j.mu.Lock()
	defer j.mu.Unlock()
	l.Places = slices.DeleteFunc(l.Places, func(p driver.Place) bool {
		deadline, known := j.deadline[p.Session]
		return known && time.Now().After(deadline)
	})
	l.Grant()
	return l
}

// wait waits for the driver below, or until all that do not look expired let it in.
func (j *skipping) wait(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
	for {
		slice, stop := context.WithTimeout(ctx, 50*time.Millisecond)
		got, err := s.Session.Wait(slice, p)
		stop()
		if !errors.Is(err, context.DeadlineExceeded) || ctx.Err() != nil {
			return got, err
		}
		l, err := s.d.Driver.Line(ctx, p.Line)
		if err != nil {
			return driver.Place{}, err
		}
		l = j.alive(l)
		if i := l.Find(p.ID); i >= 0 && l.Places[i].Granted {
			return l.Places[i], nil
		}
	}
}
