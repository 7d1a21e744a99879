package holdgate

import (
	"context"
	"errors"
	"fmt"

	"github.com/holdgate/holdgate/driver"
)

// errChanged: the place was not as it was thought to be, and was read again.
var errChanged = fmt.Errorf("the place was changed meanwhile: %w", ErrUnavailable)

// change writes something else into the place of a hold, which keeps its position. edit is
// called with the place as the store last answered, once for each attempt. An answer that
// was lost does no harm: the place has another version by then, and is read again.
func (h *Hold) change(ctx context.Context, edit func(at *driver.Place)) error {
	p, s := h.place, h.place.session
	retry := s.client.patience(s.client.opts.TTL)
	for {
		if err := h.Err(); err != nil {
			return err
		}
		err := p.update(ctx, edit)
		if errors.Is(err, driver.ErrConflict) || errors.Is(err, driver.ErrGone) {
			err = p.reread(ctx)
		}
		switch {
		case err == nil:
			return h.Err()
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case s.failed(err):
			return h.Err()
		case !transient(err):
			return err
		}
		if err = retry.pause(ctx, err); err != nil {
			return err
		}
	}
}

// update makes one attempt to write the place.
func (p *ownPlace) update(ctx context.Context, edit func(at *driver.Place)) error {
	call, done := p.session.bound(ctx)
	defer done()
	at := p.last()
	edit(&at)
	now, err := p.session.drv.Update(call, at)
	if err == nil && !p.take(now) {
		return errSessionOver
	}
	return err
}

// reread finds out how the place stands, for another attempt. It ends a place that is gone.
func (p *ownPlace) reread(ctx context.Context) error {
	line, err := p.session.client.line(ctx, p.claim.Line)
	if err != nil {
		return err
	}
	switch i := line.Find(p.claim.ID); {
	case i >= 0:
		p.take(line.Places[i])
	case p.session.stands(p):
		p.removed()
	}
	return errChanged
}

// bound returns a context for one request that a caller waits for: it ends with ctx too.
func (s *session) bound(ctx context.Context) (context.Context, func()) {
	ctx, done := s.client.within(ctx, attemptTime(s.ttl()))
	ctx, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(s.ctx, func() { cancel(errSessionOver) })
	return ctx, func() {
		stop()
		cancel(nil)
		done()
	}
}

// tell sets what the place tells the others, and writes it.
func (h *Hold) tell(ctx context.Context, value string) error {
	p := h.place
	p.session.mu.Lock()
	p.value = value
	p.session.mu.Unlock()
	return h.change(ctx, func(at *driver.Place) { at.Data = p.note().encode() })
}
