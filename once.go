package holdgate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Bounds of how long it is remembered that something was done.
const (
	MinWindow = time.Second
	MaxWindow = 366 * 24 * time.Hour
)

// outcomePrefix keeps what was done apart from other keys of the store's map.
const outcomePrefix = "holdgate.once/"

// Outcome tells who has done something, and when. It is zero when nobody has.
type Outcome struct {
	// Ran: the call that returned it has done it itself.
	Ran bool `json:"-"`
	// By is the owner text of who did it, Token the fencing token it was done with.
	By    string `json:"by,omitempty"`
	Token Token  `json:"token,omitempty"`
	// At is when it was done, on the clock of who did it, Took how long that took.
	At   time.Time     `json:"at"`
	Took time.Duration `json:"took_ns"`
}

// Once runs fn unless somebody has done so under the same key within the window: a job that
// cron starts on ten machines, a message that is delivered twice. While one runs fn the
// others wait; when it has succeeded they return its outcome without an error, and Ran is
// false.
//
// The key is the name of the lock that is held while fn runs, so it also excludes
// who locks that Mutex. It has at most 498 bytes. The window is MinWindow to MaxWindow,
// and counts from the end of fn, in the store's time. For what is done
// again and again choose it shorter than the time between an end and the next beginning.
//
// When fn returns an error, nothing is recorded, and the next one runs it. The same
// holds when its process dies in the middle: the lock is free one TTL later, and who comes
// then begins anew. So fn may be begun more than once, and what it did halfway must not be
// in the way; two may run it at once only as two may believe that they hold a lock (see
// [Hold]), and then the one with the smaller token is to be refused.
//
// When the lock was lost while fn ran, or it could not be recorded that it was done, the
// error says so, beside what fn returned. The store has to have a map of its own
// (Features.KV); else the answer is ErrUnsupported, and fn does not run.
func (c *Client) Once(ctx context.Context, key string, window time.Duration, fn func(ctx context.Context, h *Hold) error) (Outcome, error) {
	if err := checkWindow(window); err != nil {
		return Outcome{}, err
	}
	if o, err := c.Outcome(ctx, key); err != nil || !o.At.IsZero() {
		return o, err
	}
	h, err := c.Mutex(key).Lock(ctx)
	if err != nil {
		return Outcome{}, err
	}
	o, err := h.once(ctx, window, fn)
	if lost := h.Release(ctx); errors.Is(lost, ErrLost) && !errors.Is(err, ErrLost) {
		err = errors.Join(err, lost)
	}
	return o, err
}

// once runs fn under the lock, unless it was done while it was waited for.
func (h *Hold) once(ctx context.Context, window time.Duration, fn func(ctx context.Context, h *Hold) error) (Outcome, error) {
	returned := false
	defer func() {
		if !returned {
			_ = h.ReleaseAsync() // fn panicked
		}
	}()
	o, err := h.place.session.client.Outcome(ctx, h.Name())
	if err == nil && o.At.IsZero() {
		if err = fn(h.bound(ctx), h); err == nil {
			o, err = h.Record(ctx, window)
		}
	}
	returned = true
	return o, err
}

// Outcome returns who has done what this key stands for, if that was within the window that
// was said then; else a zero Outcome.
func (c *Client) Outcome(ctx context.Context, key string) (Outcome, error) {
	m, err := c.outcomes(key)
	if err != nil {
		return Outcome{}, err
	}
	o, err := m.read(ctx)
	if err != nil {
		return Outcome{}, fmt.Errorf("outcome of %q: %w", key, err)
	}
	return o, nil
}

// Record notes, for as long as the window, that what the lock was taken for is done: Outcome
// and Once of its name find it. It is what Once does when fn has succeeded, for those who
// do the rest themselves. It goes on for a quarter of a TTL, at most 10 s, when ctx has
// ended.
//
// It answers ErrLost and ErrNotHeld when the hold has ended: then another may have begun,
// and nothing is recorded.
func (h *Hold) Record(ctx context.Context, window time.Duration) (Outcome, error) {
	if err := checkWindow(window); err != nil {
		return Outcome{}, err
	}
	c := h.place.session.client
	m, err := c.outcomes(h.Name())
	if err != nil {
		return Outcome{}, err
	}
	if err = h.Err(); err != nil {
		return Outcome{}, err
	}
	o := Outcome{By: c.opts.Owner, Token: h.token, At: time.Now().Round(0), Took: c.clock.Now() - h.since}
	bounded, done := c.within(h.bound(context.WithoutCancel(ctx)), c.tryLimit())
	defer done()
	if err = m.write(bounded, o, window); err != nil {
		return Outcome{}, fmt.Errorf("%q is done, and that was not recorded: %w", h.Name(), err)
	}
	o.Ran = true
	return o, nil
}

func checkWindow(window time.Duration) error {
	if window < MinWindow || window > MaxWindow {
		return fmt.Errorf("%w: a window is %v to %v, not %v", ErrInvalid, MinWindow, MaxWindow, window)
	}
	return nil
}

// outcomes is where it is kept what was done under a key.
type outcomes struct {
	client *Client
	kv     driver.KV
	key    string
}

func (c *Client) outcomes(key string) (outcomes, error) {
	kv, ok := c.drv.(driver.KV)
	if !c.features.KV || !ok {
		return outcomes{}, fmt.Errorf("%w: %s cannot keep what was done", ErrUnsupported, c.features.Store)
	}
	if err := checkName(key); err != nil {
		return outcomes{}, err
	}
	if limit := driver.MaxName - len(outcomePrefix); len(key) > limit {
		return outcomes{}, fmt.Errorf("%w: a key has at most %d bytes, this one has %d", ErrInvalidName, limit, len(key))
	}
	return outcomes{client: c, kv: kv, key: outcomePrefix + key}, nil
}

// read returns what is kept, zero when nothing is. It tries again while the store is away, for
// one TTL.
func (m outcomes) read(ctx context.Context) (o Outcome, err error) {
	retry := m.client.patience(m.client.opts.TTL)
	for {
		o, err = m.readOnce(ctx)
		if err == nil || ctx.Err() != nil || !transient(err) {
			return o, err
		}
		if err = retry.pause(ctx, err); err != nil {
			return Outcome{}, err
		}
	}
}

func (m outcomes) readOnce(ctx context.Context) (o Outcome, err error) {
	attempt, stop := m.client.within(ctx, attemptTime(m.client.opts.TTL))
	defer stop()
	e, err := m.kv.Get(attempt, m.key)
	switch {
	case errors.Is(err, driver.ErrGone):
		return Outcome{}, nil
	case err != nil:
		return Outcome{}, err
	}
	if err = json.Unmarshal(e.Value, &o); err != nil || o.At.IsZero() {
		return Outcome{}, fmt.Errorf("%w: the key %q is used by other software", ErrMismatch, m.key)
	}
	return o, nil
}

// write keeps an outcome, unless there is one. One whose answer was lost is found when it is
// tried again.
func (m outcomes) write(ctx context.Context, o Outcome, window time.Duration) error {
	value, err := json.Marshal(o)
	if err != nil {
		return err
	}
	retry := m.client.patience(forever)
	for {
		attempt, stop := m.client.within(ctx, attemptTime(m.client.opts.TTL))
		_, err = m.kv.Put(attempt, driver.Put{Key: m.key, Value: value, IfVersion: new(uint64), TTL: window})
		stop()
		switch {
		case err == nil, errors.Is(err, driver.ErrConflict):
			return nil // done is done, whoever said so first
		case ctx.Err() != nil:
			return fmt.Errorf("%w: %w", context.Cause(ctx), err)
		case !transient(err):
			return err
		}
		if err = retry.pause(ctx, err); err != nil {
			return err
		}
	}
}
