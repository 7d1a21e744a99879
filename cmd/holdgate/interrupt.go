package main

import (
	"context"
	"os"
	"slices"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/child"
)

// interruptible returns a context that the first signal which interrupts ends. Until stop is
// called it takes signals from the channel; stop reports the one that came.
func interruptible(ctx context.Context, signals <-chan os.Signal) (_ context.Context, stop func() error) {
	ctx, cancel := context.WithCancelCause(ctx)
	quit, quitted := make(chan struct{}), make(chan struct{})
	var came error
	go func() { // ended and awaited by stop
		defer close(quitted)
		for came == nil {
			select {
			case s := <-signals:
				if slices.Contains(child.Interrupts(), s) {
					came = &interrupted{s}
				}
			case <-quit:
				return
			}
		}
		cancel(came)
	}()
	return ctx, func() error {
		close(quit)
		<-quitted
		cancel(nil)
		return came
	}
}
