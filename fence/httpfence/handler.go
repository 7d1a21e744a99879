package httpfence

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/holdgate/holdgate/fence"
)

// Options configure Handler. Zero values are the defaults.
type Options struct {
	// Gate refuses older tokens, and does not let a newer holder's request begin while
	// one of an older holder is being served: the context of that one ends, with a
	// *fence.StaleError as its cause. Nil: only the form of the pass is checked here, and
	// the token where the data is.
	Gate *fence.Gate
	// Name says which lock guards what a request is about. One that shows the token
	// of another lock is refused. Nil: the request's own word is taken, so that a client
	// that locks the wrong name is let in.
	Name func(*http.Request) string
}

// Handler lets a request through to next if its fencing token is not older than one that
// was seen before. The context that next gets carries the pass, see [fence.FromContext].
// Nil options are the defaults: without a gate it refuses only requests without a pass.
func Handler(next http.Handler, o *Options) http.Handler {
	h := &handler{next: next}
	if o != nil {
		h.opts = *o
	}
	return h
}

type handler struct {
	next http.Handler
	opts Options
}

// ServeHTTP implements http.Handler.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p, err := h.pass(r)
	if err != nil {
		Refuse(w, err)
		return
	}
	serve := func(ctx context.Context) error {
		h.next.ServeHTTP(w, r.WithContext(fence.WithPass(ctx, p)))
		return nil
	}
	if h.opts.Gate == nil {
		_ = serve(r.Context())
		return
	}
	if err = h.opts.Gate.Do(r.Context(), p, serve); err != nil { // next was not called
		if !errors.Is(err, fence.ErrStale) {
			err = fmt.Errorf("%w: %w", errOccupied, err)
		}
		Refuse(w, err)
	}
}

// pass is what the request shows, if it is of the right form and for the right lock.
func (h *handler) pass(r *http.Request) (fence.Pass, error) {
	p, err := Parse(r.Header)
	if err != nil {
		return p, err
	}
	if h.opts.Name != nil {
		guard := h.opts.Name(r)
		if p.Name != "" && p.Name != guard {
			return p, fmt.Errorf("%w: the token of %q, where the lock is %q", ErrMalformed, p.Name, guard)
		}
		p.Name = guard
	}
	return p, p.Check()
}
