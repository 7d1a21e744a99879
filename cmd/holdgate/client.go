package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/store"
	"github.com/holdgate/holdgate/driver"
)

// connection is a client, and what it stands on.
type connection struct {
	*holdgate.Client
	driver driver.Driver
}

// connect opens the store for a client with these options. patience bounds how long it waits
// for a store that has to be asked first.
func connect(ctx context.Context, s store.Store, o *holdgate.Options, patience time.Duration) (*connection, error) {
	ctx, stop := context.WithTimeoutCause(ctx, patience, errNoAnswer)
	defer stop()
	drv, err := s.Open(ctx)
	if err != nil {
		return nil, fmt.Errorf("store %s: %w", s, err)
	}
	client, err := holdgate.New(drv, o)
	if err != nil {
		_ = drv.Close() // nothing was asked of it
		return nil, usage("%w", err)
	}
	return &connection{Client: client, driver: drv}, nil
}

// Close gives everything back. An error says what the store was not told.
func (c *connection) Close(ctx context.Context) error {
	return errors.Join(c.Client.Close(ctx), c.driver.Close())
}

// giveBack releases the hold and closes the client. It reports a loss, or else that the
// store has not confirmed it.
func (c *connection) giveBack(ctx context.Context, hold *holdgate.Hold) (lost, unconfirmed error) {
	err := hold.Release(ctx)
	closed := c.Close(ctx)
	if errors.Is(err, holdgate.ErrLost) {
		return err, nil
	}
	return nil, errors.Join(err, closed)
}

// look opens the store for a command that only looks, or asks others to go.
func (f *storeFlag) look(ctx context.Context) (*connection, store.Store, error) {
	s, err := f.parse()
	if err != nil {
		return nil, s, err
	}
	c, err := connect(ctx, s, &holdgate.Options{Owner: ownerText(os.Getpid())}, connectTime)
	return c, s, err
}

// ownerText is how a process is named to others, unless it is given a name.
func ownerText(pid int) string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	user := os.Getenv("USER")
	if user == "" || len(user) > maxUser {
		return fmt.Sprintf("%.200s:%d", host, pid)
	}
	return fmt.Sprintf("%s@%.200s:%d", user, host, pid)
}

// maxUser is far more than a user's name has; the owner's text has a limit.
const maxUser = 32
