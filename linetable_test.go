package holdgate_test

import (
	"context"
	"testing"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver/memdriver"
)

// However a caller ends, it leaves no local line behind, and no place that the client
// still knows of.
func TestNoLocalLineIsLeft(t *testing.T) {
	lock := func(t *testing.T, p *proc) {
		h, err := p.Mutex("x").Lock(t.Context())
		if err == nil {
			_ = h.Release(t.Context())
		}
	}
	for name, use := range map[string]func(t *testing.T, p *proc){
		"released": lock,
		"do": func(t *testing.T, p *proc) {
			if err := p.Do(t.Context(), "x", func(context.Context, *holdgate.Hold) error { return nil }); err != nil {
				t.Error(err)
			}
		},
		"busy": func(t *testing.T, p *proc) {
			other := startProc(t, p.drv.Store(), nil)
			h := other.mustLock(t, "x")
			_, err := p.Mutex("x").TryLock(t.Context())
			wantErr(t, err, holdgate.ErrBusy)
			mustRelease(t, h)
		},
		"busy in the process": func(t *testing.T, p *proc) {
			h := p.mustLock(t, "x")
			_, err := p.Mutex("x").TryLock(t.Context())
			wantErr(t, err, holdgate.ErrBusy)
			mustRelease(t, h)
		},
		"timed out": func(t *testing.T, p *proc) {
			other := startProc(t, p.drv.Store(), nil)
			h := other.mustLock(t, "x")
			ctx, cancel := context.WithTimeout(t.Context(), time.Second)
			defer cancel()
			for _, w := range p.queue(ctx, t, "x", 3) {
				w.refused(t, time.Second, holdgate.ErrNotAcquired)
			}
			mustRelease(t, h)
		},
		"refused": func(t *testing.T, p *proc) {
			p.faults.next(memdriver.OpEnter, memdriver.Fault{Err: holdgate.ErrDenied})
			lock(t, p)
		},
		"handed on": func(t *testing.T, p *proc) {
			h := p.mustLock(t, "x")
			waits := p.queue(t.Context(), t, "x", 3)
			mustRelease(t, h)
			for _, w := range waits {
				mustRelease(t, w.granted(t, 0))
			}
		},
		"lost and never released": func(t *testing.T, p *proc) {
			p.mustLock(t, "x")
			p.drv.Store().ExpireSession(p.drv.Store().Sessions()[0])
		},
		"removed and never released": func(t *testing.T, p *proc) {
			h := p.mustLock(t, "x")
			p.drv.Store().RemovePlace("x", h.PlaceID())
		},
		"evicted, then released": func(t *testing.T, p *proc) {
			h := p.mustLock(t, "x")
			answer := p.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{})
			<-h.Done()
			wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
			if err := <-answer; err != nil {
				t.Errorf("evict: %v", err)
			}
		},
		"evicted, and another came before it was released": func(t *testing.T, p *proc) {
			h := p.mustLock(t, "x")
			answer := p.evictLater(t.Context(), "x", h.PlaceID(), holdgate.Eviction{})
			<-h.Done()
			next := p.lockLater(t.Context(), "x")
			next.pending(t)
			wantErr(t, h.Release(t.Context()), holdgate.ErrLost)
			if err := <-answer; err != nil {
				t.Errorf("evict: %v", err)
			}
			mustRelease(t, next.granted(t, 0))
		},
		"the answer to the release was lost": func(t *testing.T, p *proc) {
			h := p.mustLock(t, "x")
			p.faults.next(memdriver.OpLeave, memdriver.Fault{Lose: memdriver.LoseAnswer})
			mustRelease(t, h)
		},
	} {
		t.Run(name, func(t *testing.T) {
			inBubble(t, func(t *testing.T) {
				p := startProc(t, memdriver.NewStore(), nil)
				use(t, p)
				pass(ttl)
				if n := p.LocalLines(); n != 0 {
					t.Errorf("%d local lines left", n)
				}
				if n := p.OwnPlaces(); n != 0 {
					t.Errorf("%d places are still known", n)
				}
				wantNothingLeft(t, p.drv.Store())
			})
		})
	}
}
