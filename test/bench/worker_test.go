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
	// WriteEvery has only one hold in so many be for writing, if it is not 0. The others
	// share the lock, where the product knows how.
	WriteEvery int
}

// turnReport is how that went.
type turnReport struct {
	First, Last time.Time // the first time that it had the lock, and the last time that it had given it back
	Waits       []float64 // in nanoseconds, as the next
	HandOvers   []float64 // how long after the holder before began to give it back
	Counts      uint64    // what it has counted for the witness
	Used        ownUse
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
	before := readOwnUse()
	var all sync.WaitGroup
	for i, l := range lockers {
		all.Go(func() { // ends with its cycles
			reports[i] = w.cycles(ctx, l, order, i)
		})
	}
	all.Wait()
	sum := merge(reports)
	sum.Used = readOwnUse().since(before)
	return sum
}

// cycles is what goroutine number i does.
func (w *worker) cycles(ctx context.Context, l locker, order turnOrder, i int) turnReport {
	var r turnReport
	for n := range order.Cycles {
		v := visit{locker: l, writes: order.WriteEvery == 0}
		if order.WriteEvery > 0 {
			v.writes = (n*len(w.lockers[order.Product])+i)%order.WriteEvery == 0
			v.shares = true
		}
		if err := v.pay(ctx, w.witness, &r); err != nil {
			r.Error = err.Error()
			return r
		}
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
		sum.HandOvers = append(sum.HandOvers, r.HandOvers...)
		sum.Counts += r.Counts
		sum.Used = ownUse{sum.Used.CPU + r.Used.CPU, sum.Used.Mallocs + r.Used.Mallocs}
		if sum.Error == "" {
			sum.Error = r.Error
		}
	}
	return sum
}
