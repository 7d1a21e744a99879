package main

import (
	"context"
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// client is this process: one client of the lock service, and its goroutines.
type client struct {
	process.Config
	orders *process.Orders
	log    *history.Writer
	pen    *process.Pen
	store  *store
	locks  *holdgate.Client

	calm    chan struct{} // closed when nothing goes wrong any more
	workers sync.WaitGroup
	writes  sync.WaitGroup // to the register, that are late
}

// begin sets up what the orders ask for.
func begin(in io.Reader) (*client, error) {
	orders, config, err := process.NewOrders(in)
	if err != nil {
		return nil, err
	}
	c := &client{Config: config, orders: orders, calm: make(chan struct{})}
	// Each event is one write to a file that is open for appending: what was written
	// before a SIGKILL is in the file.
	file, err := os.OpenFile(c.History, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	c.log = history.NewWriter(file)
	if c.pen, err = process.NewPen(c.Register); err != nil {
		return nil, err
	}
	if c.store, err = connect(config); err != nil {
		return nil, err
	}
	options := &holdgate.Options{TTL: c.TTL, Owner: c.ID}
	options.Handoff.Strict = c.Strict
	c.locks, err = holdgate.New(c.store.driver, options)
	return c, err
}

// work runs the goroutines to their end, and closes the client.
func (c *client) work() error {
	c.record(history.Event{Kind: history.Start, TTL: c.TTL})
	go func() { // ends with the process
		if c.orders.AwaitCalm() != nil {
			os.Exit(1) // the run is over, and nobody reads what happens now
		}
		close(c.calm)
	}()
	for n := range c.Workers {
		w := newWorker(c, n)
		c.workers.Go(w.run) // ends some time after the calm
	}
	c.workers.Wait()
	c.writes.Wait()
	return errors.Join(c.close(), c.pen.Close(), c.log.Err())
}

// closeIn is how long closing may take: the store answers by then.
const closeIn = 10 * time.Second

// close closes the client, in time.
func (c *client) close() error {
	ctx, stop := context.WithTimeout(context.Background(), closeIn)
	defer stop()
	c.record(history.Event{Kind: history.Close, Until: process.Now() + closeIn + time.Second})
	err := c.locks.Close(ctx)
	c.record(history.Event{Kind: history.Closed, Why: why(err)})
	return errors.Join(err, c.store.close())
}

// stormy reports whether things may go wrong.
func (c *client) stormy() bool {
	select {
	case <-c.calm:
		return false
	default:
		return true
	}
}

// record writes an event down. It is in the file when record returns. Where the moment
// has to be an earlier one, the caller has set it.
func (c *client) record(e history.Event) {
	if e.At == 0 {
		e.At = process.Now()
	}
	e.Client = c.ID
	c.log.Add(e)
}

// why is how a history tells an error.
func why(err error) string {
	var lost *holdgate.LostError
	switch {
	case err == nil:
		return ""
	case errors.As(err, &lost):
		return string(lost.Reason)
	case errors.Is(err, holdgate.ErrClosed):
		return history.ByClose
	}
	return err.Error()
}
