package broken

import (
	"context"
	"iter"
	"os"
	"time"

	"github.com/holdgate/holdgate/driver"
)

// overrides are what a faulty driver does instead of what the one below does.
type overrides struct {
	// view is what is shown of a place, wherever one is shown.
	view func(driver.Place) driver.Place
	// name is what the store is told instead of a line's name.
	name func(string) string
	// fail is what an error becomes.
	fail func(ctx context.Context, err error) error

	features func(driver.Features) driver.Features
	now      func(driver.Clock) time.Duration
	after    func(c driver.Clock, d time.Duration, f func()) (stop func() bool)
	close    func(d *handle) error

	open func(ctx context.Context, d driver.Driver, o driver.SessionOptions) (driver.Session, error)
	// attach is like open, for a session that another handle has opened.
	attach func(ctx context.Context, d driver.Driver, id string) (driver.Session, error)

	line  func(ctx context.Context, d driver.Driver, name string) (driver.Line, error)
	watch func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error]
	evict func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error

	renew   func(ctx context.Context, s *session) ([]driver.Eviction, error)
	present func(ctx context.Context, s *session) ([]driver.Place, error)
	enter   func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error)
	wait    func(ctx context.Context, s *session, p driver.Place) (driver.Place, error)
	update  func(ctx context.Context, s *session, p driver.Place) (driver.Place, error)
	swap    func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error)
	leave   func(ctx context.Context, s *session, line, id string) error
	end     func(ctx context.Context, s *session) error
	inherit func(s *session) ([]*os.File, error)
	nudges  func(s *session) <-chan struct{}
	tryAll  func(ctx context.Context, s *session, claims []driver.Claim) ([]driver.Place, error)

	get     func(ctx context.Context, kv driver.KV, key string) (driver.Entry, error)
	put     func(ctx context.Context, kv driver.KV, p driver.Put) (driver.Entry, error)
	remove  func(ctx context.Context, kv driver.KV, key string, ifVersion uint64) error
	watchKV func(ctx context.Context, kv driver.KV, q driver.Query) iter.Seq2[driver.KVSnapshot, error]
}

// same is what the driver below does: a fault replaces some of it.
func same() overrides {
	return overrides{
		view: func(p driver.Place) driver.Place { return p },
		name: func(name string) string { return name },
		fail: func(_ context.Context, err error) error { return err },

		features: func(f driver.Features) driver.Features { return f },
		now:      driver.Clock.Now,
		after:    driver.Clock.AfterFunc,
		close:    func(d *handle) error { return d.Driver.Close() },

		open: func(ctx context.Context, d driver.Driver, o driver.SessionOptions) (driver.Session, error) {
			return d.Open(ctx, o)
		},
		attach: func(ctx context.Context, d driver.Driver, id string) (driver.Session, error) {
			if attacher, ok := d.(driver.Attacher); ok {
				return attacher.Attach(ctx, id)
			}
			return nil, driver.ErrUnsupported
		},
		line: func(ctx context.Context, d driver.Driver, name string) (driver.Line, error) {
			return d.Line(ctx, name)
		},
		watch: func(ctx context.Context, d driver.Driver, q driver.Query) iter.Seq2[driver.Snapshot, error] {
			return d.Watch(ctx, q)
		},
		evict: func(ctx context.Context, d driver.Driver, line, id string, e driver.Eviction) error {
			return d.Evict(ctx, line, id, e)
		},

		renew:   func(ctx context.Context, s *session) ([]driver.Eviction, error) { return s.Session.Renew(ctx) },
		present: func(ctx context.Context, s *session) ([]driver.Place, error) { return s.Session.Present(ctx) },
		enter: func(ctx context.Context, s *session, c driver.Claim) (driver.Place, error) {
			return s.Session.Enter(ctx, c)
		},
		wait: func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
			return s.Session.Wait(ctx, p)
		},
		update: func(ctx context.Context, s *session, p driver.Place) (driver.Place, error) {
			return s.Session.Update(ctx, p)
		},
		swap: func(ctx context.Context, s *session, p driver.Place, c driver.Claim) (driver.Place, error) {
			return s.Session.Swap(ctx, p, c)
		},
		leave: func(ctx context.Context, s *session, line, id string) error { return s.Session.Leave(ctx, line, id) },
		end:   func(ctx context.Context, s *session) error { return s.Session.Close(ctx) },
		inherit: func(s *session) ([]*os.File, error) {
			if inheriter, ok := s.Session.(driver.Inheriter); ok {
				return inheriter.Inherit()
			}
			return nil, driver.ErrUnsupported
		},
		nudges: func(s *session) <-chan struct{} {
			if nudger, ok := s.Session.(driver.Nudger); ok {
				return nudger.Nudges()
			}
			return nil
		},
		tryAll: func(ctx context.Context, s *session, claims []driver.Claim) ([]driver.Place, error) {
			if trier, ok := s.Session.(driver.AllTrier); ok {
				return trier.TryAll(ctx, claims)
			}
			return nil, driver.ErrUnsupported
		},

		get: func(ctx context.Context, kv driver.KV, key string) (driver.Entry, error) { return kv.Get(ctx, key) },
		put: func(ctx context.Context, kv driver.KV, p driver.Put) (driver.Entry, error) { return kv.Put(ctx, p) },
		remove: func(ctx context.Context, kv driver.KV, key string, ifVersion uint64) error {
			return kv.Delete(ctx, key, ifVersion)
		},
		watchKV: func(ctx context.Context, kv driver.KV, q driver.Query) iter.Seq2[driver.KVSnapshot, error] {
			return kv.WatchKV(ctx, q)
		},
	}
}
