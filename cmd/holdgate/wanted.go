package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// taker takes a lock of some kind: in line, or only if it is free.
type taker struct {
	wait, try func(ctx context.Context) (*holdgate.Hold, error)
}

func mutexTaker(m holdgate.Mutex) taker { return taker{m.Lock, m.TryLock} }

// wanted says what kind of lock run takes.
type wanted struct {
	shared    bool
	exclusive bool
	permits   permits
	all       bool
}

func (w *wanted) register(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVar(&w.shared, "shared", false, "a read lock: share it with others that say --shared;"+
		" a name is used with it and --exclusive, or without, never both at a time")
	flags.BoolVar(&w.exclusive, "exclusive", false, "the write lock of a name that others read with --shared")
	flags.Var(&w.permits, "permits", "take N of LIMIT permits: so many at most are held at once; everybody says the same LIMIT")
	flags.BoolVar(&w.all, "all", false, "several names: hold all of them, or none")
}

// check refuses what can be refused without the store.
func (w *wanted) check(names []string) error {
	switch {
	case w.shared && w.exclusive:
		return usage("--shared and --exclusive exclude each other")
	case (w.shared || w.exclusive) && w.permits.set():
		return usage("--shared and --exclusive are for readers and a writer: they exclude --permits")
	case w.all && w.ofMany():
		return usage("--all is for plain locks: it excludes --shared, --exclusive and --permits")
	case len(names) > 1 && !w.all:
		return usage("one name goes before --, not %d; with --all it holds several", len(names))
	case len(names) > holdgate.MaxLockAll:
		return usage("--all holds %d names at most, not %d", holdgate.MaxLockAll, len(names))
	}
	return nil
}

// ofMany reports whether the lock is one that several may hold.
func (w *wanted) ofMany() bool { return w.shared || w.exclusive || w.permits.set() }

// of returns what takes the lock.
func (w *wanted) of(c *holdgate.Client, names []string) taker {
	switch name := names[0]; {
	case w.shared:
		m := c.RWMutex(name)
		return taker{m.RLock, m.TryRLock}
	case w.exclusive:
		m := c.RWMutex(name)
		return taker{m.Lock, m.TryLock}
	case w.permits.set():
		s, n := c.Semaphore(name, w.permits.limit), w.permits.n
		return taker{
			func(ctx context.Context) (*holdgate.Hold, error) { return s.Acquire(ctx, n) },
			func(ctx context.Context) (*holdgate.Hold, error) { return s.TryAcquire(ctx, n) },
		}
	case w.all:
		return taker{
			func(ctx context.Context) (*holdgate.Hold, error) { return c.LockAll(ctx, names...) },
			func(ctx context.Context) (*holdgate.Hold, error) { return c.TryLockAll(ctx, names...) },
		}
	default:
		return mutexTaker(c.Mutex(name))
	}
}

// permits is the value of a flag: 2/4 is two of four.
type permits struct{ n, limit int64 }

var errPermits = errors.New("permits are written N/LIMIT, such as 1/4, with N from 1 to LIMIT")

func (p *permits) set() bool { return p.limit > 0 }

func (p *permits) String() string {
	if !p.set() {
		return ""
	}
	return fmt.Sprintf("%d/%d", p.n, p.limit)
}

func (p *permits) Type() string { return "N/LIMIT" }

func (p *permits) Set(text string) error {
	n, limit, _ := strings.Cut(text, "/")
	var bad [2]error
	p.n, bad[0] = strconv.ParseInt(n, 10, 64)
	p.limit, bad[1] = strconv.ParseInt(limit, 10, 64)
	if errors.Join(bad[:]...) != nil || p.n < 1 || p.n > p.limit || p.limit > driver.MaxCapacity {
		*p = permits{}
		return errPermits
	}
	return nil
}
