package broken

import (
	"context"
	"iter"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// Faults of a driver that does not do what it declares: here, one that does more. A
// program that relies on a refusal would be wrong about it.
func declareFaults() []Fault {
	return []Fault{
		{
			Name: "a queue is declared as a single key",
			CaughtBy: []string{
				"single/one-gets-it", "single/only-the-holder-stands", "single/session-ends-while-waiting",
				"update/refused", "evict/refused", "units/refused",
			},
			plant: declare(asSingle),
		},
		{
			Name:     "a watch that is not supported shows nothing",
			CaughtBy: []string{"watch/whole-or-refused"},
			plant: func(do *overrides) {
				declare(asSingle)(do)
				do.watch = func(context.Context, driver.Driver, driver.Query) iter.Seq2[driver.Snapshot, error] {
					return func(func(driver.Snapshot, error) bool) {}
				}
			},
		},
		{
			Name:     "a wait for a key that is held is granted",
			CaughtBy: []string{"single/wait-has-nothing-to-do"},
			plant: func(do *overrides) {
				declare(asSingle)(do)
				do.wait = func(_ context.Context, _ *session, p driver.Place) (driver.Place, error) {
					p.Granted = true
					return p, nil
				}
			},
		},
		{
			Name:     "orders that are not declared",
			CaughtBy: []string{"order/none"},
			plant:    declare(func(f *driver.Features) { f.Tokens = false }),
		},
		{
			Name:     "a map that is not declared",
			CaughtBy: []string{"kv/refused"},
			plant:    declare(func(f *driver.Features) { f.KV = false }),
		},
		{
			Name:     "transactions that are not declared",
			CaughtBy: []string{"tryall/refused"},
			plant:    declare(func(f *driver.Features) { f.TryAll = false }),
		},
		{
			Name:     "a session without a TTL expires",
			CaughtBy: []string{"expiry/none-by-time"},
			plant:    reportTTL(func(time.Duration) time.Duration { return 0 }),
		},
		{
			Name:     "a TTL is shorter than what was asked for",
			CaughtBy: []string{"session/ttl-as-granted"},
			plant:    reportTTL(func(ttl time.Duration) time.Duration { return ttl / 2 }),
		},
	}
}

func declare(change func(*driver.Features)) func(*overrides) {
	return func(do *overrides) {
		do.features = func(f driver.Features) driver.Features {
			change(&f)
			return f
		}
	}
}

func asSingle(f *driver.Features) {
	f.Layout, f.Shared, f.Fair = driver.LayoutSingle, false, false
}

// reportTTL reports another TTL than the session has.
func reportTTL(change func(time.Duration) time.Duration) func(*overrides) {
	return func(do *overrides) {
		do.open = func(ctx context.Context, d driver.Driver, o driver.SessionOptions) (driver.Session, error) {
			ses, err := d.Open(ctx, o)
			if err != nil {
				return nil, err
			}
			return lifetime{Session: ses, reported: change(ses.TTL())}, nil
		}
	}
}
