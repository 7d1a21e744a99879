package holdgate

import (
	"fmt"
	"log/slog"
	"os"
	"slices"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Defaults and bounds of Options.
const (
	// DefaultTTL is how long the store keeps the places of a process that it does not
	// hear from.
	DefaultTTL = 15 * time.Second
	// MinTTL and MaxTTL bound Options.TTL; a driver may ask for more than MinTTL.
	MinTTL = time.Second
	MaxTTL = 24 * time.Hour

	// DefaultHandoffTime and DefaultHandoffGrants bound how long the goroutines of one
	// process hand a lock to each other while another process waits.
	DefaultHandoffTime   = 10 * time.Millisecond
	DefaultHandoffGrants = 200
)

// Options configure a Client. Zero values are the defaults.
type Options struct {
	// TTL is how long the store keeps this client's places when it does not hear
	// from it: so long others wait after a crash, and so long an outage may last
	// before holds are lost. From MinTTL to MaxTTL; default DefaultTTL.
	TTL time.Duration
	// Owner is shown to those who ask who holds. At most 256 bytes; default
	// "host:pid".
	Owner string
	// Reason is shown beside it: what the locks are taken for. At most 1 KiB.
	Reason string
	// Under are the IDs of places that others do not give back before this process has ended, as
	// holdgate run tells its command in $HOLDGATE_HELD. Who looks for deadlocks is told.
	Under []string
	// Require is what the store must be able to promise; New refuses others.
	Require Require
	// Handoff bounds how the goroutines of this client pass a lock among themselves.
	Handoff Handoff
	// Linger is for how long a Mutex that was released stays with this client while nobody
	// else is in line for it, so that the next Lock of the same name by this client asks
	// nobody. At most MaxLinger; default 0: never. It is for locks that one process takes
	// again and again.
	//
	// Its price: a Lock of another process finds the lock taken and waits until a watch of
	// the line has told this client, and the place was left; a TryLock there, which no watch
	// tells of, answers ErrBusy; and when this process dies in that time the lock is free one
	// TTL later. A watch for each name in use, and its pushes, are the store's part of the
	// price. It needs a store that shows who waits, and excludes Handoff.Strict.
	Linger time.Duration
	// OnWait is told whom a caller waits for: when it begins to wait, and again when
	// that changed, at most once a second and less often as the wait grows long. It
	// is called for each line that somebody in this process waits in, from a
	// goroutine of the client, for which Close waits: it must not call Close. Setting it
	// costs a watch for each such line.
	OnWait func(Waiting)
	// OnEvent is told what happens, see Event. It is called by many goroutines at once,
	// some on the path of Lock and Release: it must be quick, and must not call the client.
	OnEvent func(Event)
	// Logger gets what nobody was told by an error: lost sessions, strays that were
	// cleaned up, releases that had to be retried. Nil discards.
	Logger *slog.Logger
}

// Require names what a program needs from its store.
type Require struct {
	// Safety is the least that will do.
	Safety driver.Safety
	// Tokens, Fair and Shared ask for the feature of that name.
	Tokens, Fair, Shared bool
}

// Handoff bounds the local hand-off: a process has one place in a line, and its
// goroutines pass the lock on without asking the store, until others had to wait
// for Time or Grants were given; then the place goes to the end of the line. Readers of an
// RWMutex share a place within the same bound, counted from when it was granted.
type Handoff struct {
	// Strict turns it off: every Lock and RLock has a place of its own, first come, first
	// served over all processes.
	Strict bool
	// Time is at most a second; default DefaultHandoffTime.
	Time time.Duration
	// Grants is 1 to DefaultHandoffGrants, the default.
	Grants int
}

// withDefaults returns a checked copy of o.
func (o *Options) withDefaults(f driver.Features) (Options, error) {
	var r Options
	if o != nil {
		r = *o
	}
	if r.TTL == 0 {
		r.TTL = max(DefaultTTL, f.MinTTL)
	}
	if r.Owner == "" {
		r.Owner = defaultOwner()
	}
	if r.Handoff.Time == 0 {
		r.Handoff.Time = DefaultHandoffTime
	}
	if r.Handoff.Grants == 0 {
		r.Handoff.Grants = DefaultHandoffGrants
	}
	r.Under = slices.Clone(r.Under)
	if r.Logger == nil {
		r.Logger = slog.New(slog.DiscardHandler)
	}
	return r, r.check(f)
}

func (o *Options) check(f driver.Features) error {
	low, high := max(MinTTL, f.MinTTL), MaxTTL
	if f.MaxTTL > 0 {
		high = min(high, f.MaxTTL)
	}
	if o.TTL < low || o.TTL > high {
		return fmt.Errorf("holdgate: Options.TTL is %v to %v on this store, not %v", low, high, o.TTL)
	}
	if err := driver.CheckOwner(o.Owner); err != nil {
		return fmt.Errorf("holdgate: Options.Owner: %w", err)
	}
	if err := (driver.Eviction{Reason: o.Reason}).Check(); err != nil {
		return fmt.Errorf("holdgate: Options.Reason: %w", err)
	}
	if size := len(note{Reason: o.Reason}.encode()); size > driver.MaxData-noteRoom {
		return fmt.Errorf("holdgate: Options.Reason takes at most %d bytes as JSON, not %d", driver.MaxData-noteRoom, size)
	}
	for _, id := range o.Under {
		if err := driver.CheckID(id); err != nil {
			return fmt.Errorf("holdgate: Options.Under: %w", err)
		}
	}
	if o.Handoff.Time < 0 || o.Handoff.Time > time.Second {
		return fmt.Errorf("holdgate: Options.Handoff.Time is 0 to 1s, not %v", o.Handoff.Time)
	}
	if o.Handoff.Grants < 0 || o.Handoff.Grants > DefaultHandoffGrants {
		return fmt.Errorf("holdgate: Options.Handoff.Grants is 0 to %d, not %d", DefaultHandoffGrants, o.Handoff.Grants)
	}
	if err := o.checkLinger(f); err != nil {
		return err
	}
	return o.Require.check(f)
}

func (r Require) check(f driver.Features) error {
	switch {
	case f.Safety < r.Safety:
		return fmt.Errorf("holdgate: Options.Require.Safety is %v, %s gives %v: %w", r.Safety, f.Store, f.Safety, ErrUnsupported)
	case r.Tokens && !f.Tokens:
		return fmt.Errorf("holdgate: Options.Require.Tokens: %s gives no fencing tokens: %w", f.Store, ErrUnsupported)
	case r.Fair && !f.Fair:
		return fmt.Errorf("holdgate: Options.Require.Fair: %s does not keep the order of waiters: %w", f.Store, ErrUnsupported)
	case r.Shared && !f.Shared:
		return fmt.Errorf("holdgate: Options.Require.Shared: %s has only exclusive locks: %w", f.Store, ErrUnsupported)
	}
	return nil
}

func defaultOwner() string {
	host, err := os.Hostname()
	if err != nil {
		host = "localhost"
	}
	return fmt.Sprintf("%.200s:%d", host, os.Getpid())
}
