package main

import (
	"context"
	"time"
)

// sharer is a locker that several may have at the same time, for reading.
type sharer interface {
	locker
	rlock(ctx context.Context) error // unlock gives that back, too
}

// visit is one time that a goroutine has the lock.
type visit struct {
	locker locker
	writes bool
	shares bool // some visits read: the witness is to know which
}

// pay takes the lock, counts if it writes, gives the lock back, and reports.
func (v visit) pay(ctx context.Context, w witness, r *turnReport) error {
	begun := time.Now()
	if err := v.lock(ctx); err != nil {
		return err
	}
	had := time.Now()
	r.Waits = append(r.Waits, float64(had.Sub(begun)))
	if after, ok := w.handOver(had); ok && !v.shares {
		r.HandOvers = append(r.HandOvers, float64(after))
	}
	if err := v.see(w, r); err != nil {
		return err
	}
	w.leaves()
	if err := v.locker.unlock(ctx); err != nil {
		return err
	}
	if r.First.IsZero() {
		r.First = had
	}
	r.Last = time.Now()
	return nil
}

func (v visit) lock(ctx context.Context) error {
	if s, ok := v.locker.(sharer); ok && !v.writes {
		return s.rlock(ctx)
	}
	return v.locker.lock(ctx)
}

// see has the witness see the visit.
func (v visit) see(w witness, r *turnReport) error {
	if !v.writes {
		return w.read()
	}
	r.Counts++
	if v.shares {
		return w.write()
	}
	w.pass()
	return nil
}
