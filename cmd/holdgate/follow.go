package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// snapshot is what follow tells: one of them.
type snapshot struct {
	holdgate.Snapshot
	err error // the last thing that is told
}

// follow watches lines for as long as the program runs, also through outages of the store:
// those are said on standard error, once each.
func follow(ctx context.Context, c *connection, q holdgate.Query) <-chan snapshot {
	snapshots := make(chan snapshot)
	go func() { // ends with an error, or the program
		for pause := time.Duration(0); ; pause = min(2*pause+100*time.Millisecond, 5*time.Second) {
			time.Sleep(pause) // between two attempts to reach the store
			var err error
			for s, failed := range c.Watch(ctx, q) {
				if err = failed; err != nil {
					break
				}
				pause = 0
				snapshots <- snapshot{Snapshot: s}
			}
			if !errors.Is(err, holdgate.ErrUnavailable) && !errors.Is(err, driver.ErrUnknownOutcome) {
				snapshots <- snapshot{err: err}
				return
			}
			if pause == 0 {
				fmt.Fprintf(os.Stderr, "holdgate: trying again: %s\n", oneLine(err.Error()))
			}
		}
	}()
	return snapshots
}
