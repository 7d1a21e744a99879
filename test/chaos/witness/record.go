package witness

import (
	"context"
	"sync"
	"time"

	"github.com/holdgate/holdgate/internal/history"
	"github.com/holdgate/holdgate/test/chaos/process"
)

// Record is what a witness keeps of moments.
type Record struct {
	Clock

	mu      sync.Mutex
	revoked map[string]time.Duration
}

// Revoke notes that a session is about to be ended by an operator: its client does not know.
func (r *Record) Revoke(session string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.revoked == nil {
		r.revoked = make(map[string]time.Duration)
	}
	r.revoked[session] = process.Now()
}

// markEvery is how exactly moments are known when all is well.
const markEvery = 10 * time.Millisecond

// Keep makes marks until the context ends. One of which no answer came tells nothing.
func (r *Record) Keep(ctx context.Context, mark func(context.Context) error) {
	tick := time.NewTicker(markEvery)
	defer tick.Stop()
	for ctx.Err() == nil {
		_ = mark(ctx) // the store is away
		select {
		case <-tick.C:
		case <-ctx.Done():
		}
	}
}

// Mark makes one mark, of a request that returns its position.
func (r *Record) Mark(ctx context.Context, ask func(context.Context) (position int64, err error)) error {
	sent := process.Now()
	position, err := ask(ctx)
	if err == nil {
		r.Saw(sent, process.Now(), position)
	}
	return err
}

// Change is a place that came or went.
type Change struct {
	Position int64
	// At is a moment at which that was so, 0 when none is known but by the marks.
	At       time.Duration
	Came     bool
	Name, ID string
	Session  string
	// Owner and Token are those of a place that came.
	Owner string
	Token uint64
	// Ended says of one that went that its session ended.
	Ended bool
}

// Events is what a history needs to know. TTL is that of the sessions.
func (r *Record) Events(changes []Change, ttl time.Duration) []history.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	bounds := r.bounds()
	var events []history.Event
	for _, c := range changes {
		since := bounds.notBefore(c.Position)
		e := history.Event{Name: c.Name, Place: c.ID}
		if c.Came {
			e.Kind, e.At, e.Client, e.Token = history.Stood, since, c.Owner, c.Token
			events = append(events, e)
			continue
		}
		if e.At, e.Since = c.At, since; e.At == 0 {
			e.At = bounds.notAfter(c.Position)
		}
		if asked, ok := r.revoked[c.Session]; ok && c.Ended {
			// Its client renewed the session before that, and may believe for a TTL.
			broken := e
			broken.Kind, broken.Since, broken.Until = history.Broken, max(since, asked), e.At+ttl
			events = append(events, broken)
		}
		e.Kind = history.Freed
		events = append(events, e)
	}
	return events
}
