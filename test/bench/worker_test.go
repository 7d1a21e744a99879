package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"
)

// workerTask is what a process that works is given.
type workerTask struct {
	Seat       seat
	Goroutines int
	Products   []string
	Witness    string // its file
}

// turnOrder tells a worker to take the lock of a product so often with each goroutine.
type turnOrder struct {
	Product string
	Cycles  int
}

// turnReport is how that went.
type turnReport struct {
	First, Last time.Time // the first time that it had the lock, and the last time that it had given it back
	Waits       []time.Duration
	Error       string
}

// worker is a process that takes locks when it is told to.
type worker struct {
	witness witness
	lockers map[string][]locker // one for each goroutine
}

// work opens all products, says so, and follows orders until there are no more.
func work(task []byte, talk conversation) error {
	var t workerTask
	if err := json.Unmarshal(task, &t); err != nil {
		return err
	}
	w, err := newWorker(context.Background(), t)
	if err != nil {
		return err
	}
	if err := talk.say("ready"); err != nil {
		return err
	}
	for {
		var order turnOrder
		switch err := talk.hear(&order); {
		case errors.Is(err, io.EOF):
			return nil
		case err != nil:
			return err
		}
		if err := talk.say(w.turn(context.Background(), order)); err != nil {
			return err
		}
	}
}

func newWorker(ctx context.Context, t workerTask) (*worker, error) {
	w := &worker{lockers: make(map[string][]locker)}
	var err error
	if w.witness, err = openWitness(t.Witness); err != nil {
		return nil, err
	}
	for _, name := range t.Products {
		p, err := products()[name](ctx, t.Seat)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		for range t.Goroutines {
			l, err := p.locker(ctx)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			w.lockers[name] = append(w.lockers[name], l)
		}
	}
	return w, nil
}

// turn has all goroutines take the lock.
func (w *worker) turn(ctx context.Context, order turnOrder) turnReport {
	lockers := w.lockers[order.Product]
	reports := make([]turnReport, len(lockers))
	var all sync.WaitGroup
	for i, l := range lockers {
		all.Go(func() { // ends with its cycles
			reports[i] = w.cycles(ctx, l, order.Cycles)
		})
	}
	all.Wait()
	return merge(reports)
}

func (w *worker) cycles(ctx context.Context, l locker, n int) turnReport {
	var r turnReport
	for range n {
		begun := time.Now()
		if err := l.lock(ctx); err != nil {
			r.Error = err.Error()
			return r
		}
		had := time.Now()
		w.witness.pass()
		if err := l.unlock(ctx); err != nil {
			r.Error = err.Error()
			return r
		}
		if r.First.IsZero() {
			r.First = had
		}
		r.Last = time.Now()
		r.Waits = append(r.Waits, had.Sub(begun))
	}
	return r
}

// merge makes one report of several.
func merge(all []turnReport) turnReport {
	sum := all[0]
	for _, r := range all[1:] {
		if r.First.Before(sum.First) {
			sum.First = r.First
		}
		if r.Last.After(sum.Last) {
			sum.Last = r.Last
		}
		sum.Waits = append(sum.Waits, r.Waits...)
		if sum.Error == "" {
			sum.Error = r.Error
		}
	}
	return sum
}
