package holdgate

import (
	"context"
	"errors"
)

// driveLocked hands the line to a goroutine that gets its place granted.
func (l *localLine) driveLocked() {
	l.state = lineDriving
	if !l.client.task(l.drive) { // ends with a grant, or with the last waiter, or with the client
		l.failLocked(ErrClosed)
		l.place, l.state = nil, lineIdle
	}
}

// drive works until the lock is given to somebody in line, or nobody is.
func (l *localLine) drive() {
	for {
		ctx, w := l.begin()
		if w == nil {
			return
		}
		err := l.obtain(ctx, w.try)
		l.mu.Lock()
		l.stop()
		if err == nil && !l.queue.empty() {
			err = l.grantFrontLocked()
		}
		if err == nil && l.state == lineHeld {
			l.mu.Unlock()
			return
		}
		l.settleLocked(w, err)
		l.mu.Unlock()
	}
}

// begin returns the first in line, and a context that ends when nobody is in line any
// more. When nobody is now, it gives up the place.
func (l *localLine) begin() (context.Context, *waiter) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.queue.empty() {
		if l.place != nil {
			l.place.abandon()
		}
		l.place, l.state = nil, lineIdle
		return nil, nil
	}
	ctx, cancel := context.WithCancelCause(l.client.ctx)
	l.stop = func() { cancel(errPassed) }
	w := l.queue.front()
	w.pinned = true // it is judged by what comes of this, see settleLocked
	return ctx, w
}

// obtain gets a place that is granted: it enters the store's line or goes to its
// end, and waits.
func (l *localLine) obtain(ctx context.Context, try bool) error {
	p, err := l.standing(ctx, try)
	if err != nil || p.granted() {
		return err
	}
	return p.wait(ctx)
}

// standing returns the place of this process in the store's line, made now if need be.
func (l *localLine) standing(ctx context.Context, try bool) (*ownPlace, error) {
	l.mu.Lock()
	p, swap := l.place, l.swap
	l.mu.Unlock()
	if p != nil && !swap {
		return p, nil
	}
	var err error
	if p != nil {
		p, err = p.swap(l.claim)
	}
	if p == nil && (err == nil || errors.Is(err, errRemoved)) { // who waits here was not asked to go
		claim := l.claim
		claim.Try = try
		p, err = l.client.enter(ctx, claim, l)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if err != nil {
		l.place, l.swap = nil, false
		return nil, err
	}
	l.adoptLocked(p)
	return p, nil
}

// settleLocked decides what an error means to those who wait.
func (l *localLine) settleLocked(w *waiter, err error) {
	var lost *LostError
	switch {
	case err == nil:
		// Nobody waited any more when it was granted: begin gives it up or, if somebody
		// came just now, it is theirs.
	case errors.Is(err, errPassed), errors.Is(err, errSessionOver):
		l.place = nil // who still waits, or came just now, gets in line again
	case errors.As(err, &lost):
		// Evicted just when it was granted: the place is to go.
		l.place.abandon()
		l.place = nil
		l.failLocked(err)
	case w.try:
		// It is busy, or the store is away: the others have more patience than a try.
		l.place = nil
		if l.queue.remove(w) {
			w.result <- outcome{err: err}
			l.calmLocked()
		}
	default:
		l.place = nil
		l.failLocked(err)
	}
}

// failLocked tells everybody in line.
func (l *localLine) failLocked(err error) {
	for w := l.queue.front(); w != nil; w = l.queue.front() {
		l.queue.remove(w)
		w.result <- outcome{err: err}
	}
	l.calmLocked()
}
