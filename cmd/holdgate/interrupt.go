package main

import (
	"context"
	"os"
)

// interruptible returns a context that the first of the signals ends. Until stop is called
// it takes them from the channel; stop reports the one that came.
func interruptible(ctx context.Context, signals <-chan os.Signal) (_ context.Context, stop func() error) {
	ctx, cancel := context.WithCancelCause(ctx)
	quit, quitted := make(chan struct{}), make(chan struct{})
	var came error
	go func() { // ended and awaited by stop
		defer close(quitted)
		select {
		case s := <-signals:
			came = &interrupted{s}
			cancel(came)
		case <-quit:
		}
	}()
	return ctx, func() error {
		close(quit)
		<-quitted
		cancel(nil)
		return came
	}
}
