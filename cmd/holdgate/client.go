package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
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
	drv, err := openStore(ctx, s, patience)
	if err != nil {
		return nil, err
	}
	client, err := holdgate.New(drv, o)
	if err != nil {
		_ = drv.Close() // nothing was asked of it
		return nil, usage("%w", err)
	}
	return &connection{Client: client, driver: drv}, nil
}

// connectOrStop is connect, which the first signal that interrupts ends.
func connectOrStop(
	ctx context.Context, signals <-chan os.Signal, s store.Store, o *holdgate.Options, patience time.Duration,
) (*connection, error) {
	wait, stop := interruptible(ctx, signals)
	client, err := connect(wait, s, o, patience)
	if signal := stop(); signal != nil {
		if err == nil {
			_ = client.Close(ctx) // nothing was asked of it
		}
		return nil, signal
	}
	return client, err
}

// openStore opens the store. patience bounds how long it waits for one that has to be asked first.
func openStore(ctx context.Context, s store.Store, patience time.Duration) (driver.Driver, error) {
	ctx, stop := context.WithTimeoutCause(ctx, patience, errNoAnswer)
	defer stop()
	drv, err := s.Open(ctx)
	if err != nil {
		return nil, openError(s, err)
	}
	return drv, nil
}

// openError names the store, unless the error is about its URL and does.
func openError(s store.Store, err error) error {
	plain := plainError{err}
	if strings.HasPrefix(plain.Error(), store.ErrURL.Error()) {
		return plain
	}
	return fmt.Errorf("store %s: %w", s, plain)
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
	user := userName()
	if user == "" {
		return fmt.Sprintf("%.200s:%d", host, pid)
	}
	return fmt.Sprintf("%s@%.200s:%d", user, host, pid)
}

// userName is the user's name as the environment has it, or else the number: looking the name up
// would link the C library in, and make each start slower.
func userName() string {
	for _, variable := range []string{"USER", "LOGNAME", "USERNAME"} {
		if user := os.Getenv(variable); user != "" && len(user) <= maxUser {
			return user
		}
	}
	if id := os.Getuid(); id >= 0 {
		return fmt.Sprintf("uid%d", id)
	}
	return "" // a system without such numbers
}

// maxUser is far more than a user's name has; the owner's text has a limit.
const maxUser = 32
