package holdgate

import (
	"context"
	"time"
)

// EventType says what happened.
type EventType string

// What a client tells about itself.
const (
	EventSessionOpened EventType = "session opened"
	EventSessionLost   EventType = "session lost"
	EventRenewed       EventType = "renewed"       // also a renewal that failed: see Err
	EventAcquiring     EventType = "acquiring"     // a call began: for each name EventAcquired follows
	EventAcquired      EventType = "acquired"      // also an acquire that failed: see Err
	EventReleased      EventType = "released"      // or it goes on in the background, or was closed: see Err
	EventLost          EventType = "lost"          // also if only the release found it out
	EventStray         EventType = "stray removed" // a place that nobody here waits for any more
)

// Event is something that happened in a client. Fields that do not apply are zero.
type Event struct {
	Type    EventType
	Session string
	Name    string
	PlaceID string
	Token   Token
	// Took is how long it took: an Open, a renewal, an acquire; for a release or a loss,
	// how long the lock had been held.
	Took time.Duration
	// Slack is how long before the end of trust a renewal was answered.
	Slack time.Duration
	Err   error
	// Context is that of the call which acquires, for those who trace it.
	Context context.Context //nolint:containedctx // it belongs to the call, and lasts as long as the event
}

// observed reports whether somebody wants to know: the clock is not read for nobody.
func (c *Client) observed() bool { return c.opts.OnEvent != nil }

// emit tells the observer. It is called without locks.
func (c *Client) emit(e Event) {
	if c.observed() {
		c.opts.OnEvent(e)
	}
}
