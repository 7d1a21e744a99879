package memdriver

import (
	"context"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Driver is one handle on a store: what a process has. Its methods are safe for
// concurrent use.
type Driver struct {
	store  *Store
	faults Injector
	clock  *SkewClock
	lag    time.Duration
	nudge  bool
	link   link
}

var (
	_ driver.Driver   = (*Driver)(nil)
	_ driver.Attacher = (*Driver)(nil)
	_ driver.Clock    = (*Driver)(nil)
	_ driver.KV       = (*Driver)(nil)
)

// Options are what a handle is made with. Nil and zero mean: no faults, and the
// store's own clock.
type Options struct {
	// Faults is asked before every operation what goes wrong with it.
	Faults Injector
	// Clock is the clock that this handle's caller lives by. Handles of one process
	// may share it.
	Clock *SkewClock
	// RenewLag is how long after it answered a Renew the store still counts from the
	// one before it, for sessions of this handle. Features tells it.
	RenewLag time.Duration
	// Nudge lets sessions of this handle hear at once what a Renew would tell them.
	// Features tells it.
	Nudge bool
}

// New returns a handle on a store of its own.
func New() *Driver { return NewStore().Connect(nil) }

// Connect returns one more independent handle on the store, as another process
// would have it. The options are copied.
func (s *Store) Connect(o *Options) *Driver {
	d := &Driver{store: s, link: link{changed: make(chan struct{})}}
	if o != nil {
		d.faults, d.clock, d.lag = o.Faults, o.Clock, max(o.RenewLag, 0)
		d.nudge = o.Nudge
	}
	return d
}

// Store returns the store behind this handle.
func (d *Driver) Store() *Store { return d.store }

// SetLink changes the connection between this handle and the store. After Close it
// does nothing.
func (d *Driver) SetLink(l Link) { d.link.set(l) }

// Features says what the store promises.
func (d *Driver) Features() driver.Features {
	return driver.Features{
		Store:    "memory",
		Safety:   driver.SafetyLinearizable,
		Layout:   driver.LayoutQueue,
		RenewLag: d.lag,
		Tokens:   true,
		Fair:     true,
		Shared:   true,
		KV:       true,
		TryAll:   true,
		Nudge:    d.nudge,
		Attach:   true,
	}
}

// Close ends this handle. Its sessions stay until they expire, as if the process had
// died; so do its requests that an injected fault has delayed.
func (d *Driver) Close() error {
	d.link.set(linkClosed)
	return nil
}

// Now is the time of the handle's clock.
func (d *Driver) Now() time.Duration {
	if d.clock != nil {
		return d.clock.Now()
	}
	return d.store.now()
}

// AfterFunc calls f once the handle's clock has advanced by wait.
func (d *Driver) AfterFunc(wait time.Duration, f func()) (stop func() bool) {
	if d.clock != nil {
		return d.clock.AfterFunc(wait, f)
	}
	return time.AfterFunc(wait, f).Stop
}

// Open starts a session.
func (d *Driver) Open(ctx context.Context, opts driver.SessionOptions) (driver.Session, error) {
	if opts.TTL <= 0 {
		return nil, fmt.Errorf("%w: a TTL is more than 0, not %v", driver.ErrInvalid, opts.TTL)
	}
	if err := driver.CheckOwner(opts.Owner); err != nil {
		return nil, err
	}
	r, err := call(ctx, d, Call{Op: OpOpen}, func(st *state) (*record, error) {
		return st.open(opts, d.lag, d.nudge), nil
	})
	if err != nil {
		return nil, err
	}
	return &session{d: d, r: r}, nil
}

// Attach returns a handle on a session that is open. Handles on one session do not take
// turns: none of them keeps anything.
func (d *Driver) Attach(ctx context.Context, sessionID string) (driver.Session, error) {
	r, err := call(ctx, d, Call{Op: OpAttach, Session: sessionID}, func(st *state) (*record, error) {
		if r := st.sessions[sessionID]; r != nil {
			return r, nil
		}
		return nil, fmt.Errorf("%w: %q", driver.ErrSessionLost, sessionID)
	})
	if err != nil {
		return nil, err
	}
	return &session{d: d, r: r}, nil
}

// Line returns one line, up to date.
func (d *Driver) Line(ctx context.Context, name string) (driver.Line, error) {
	if err := driver.CheckName(name); err != nil {
		return driver.Line{}, err
	}
	return call(ctx, d, Call{Op: OpLine, Line: name}, func(st *state) (driver.Line, error) {
		return st.whole(name), nil
	})
}

// Evict asks a place to go.
func (d *Driver) Evict(ctx context.Context, line, placeID string, e driver.Eviction) error {
	if err := driver.CheckName(line); err != nil {
		return err
	}
	if err := e.Check(); err != nil {
		return err
	}
	_, err := call(ctx, d, Call{Op: OpEvict, Line: line, PlaceID: placeID}, func(st *state) (struct{}, error) {
		return struct{}{}, st.evict(line, placeID, e)
	})
	return err
}

// inject asks what goes wrong with a call.
func (d *Driver) inject(c Call) Fault {
	if d.faults == nil {
		return Fault{}
	}
	return d.faults(c)
}

// direct reports whether nothing stands between this handle and the store: then a
// call is its step and nothing else.
func (d *Driver) direct(ctx context.Context) bool {
	return d.faults == nil && d.clock == nil && d.link.load() == LinkUp && ctx.Err() == nil
}
