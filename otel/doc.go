// Package otel turns what happens in a client into OpenTelemetry metrics and spans.
//
//	watch, err := otel.New(nil) // with the global providers
//	client, err := holdgate.New(drv, &holdgate.Options{OnEvent: watch.Event})
//	gate, err := fence.NewGate(&fence.GateOptions{OnRefuse: watch.Refused})
//
// # Metrics
//
//	holdgate.acquire.duration  s, histogram  how long a Lock took; outcome
//	holdgate.waiters           {call}        calls of Lock that are under way
//	holdgate.holds             {hold}        locks that are held
//	holdgate.hold.duration     s, histogram  how long a lock was held; end
//	holdgate.lost              {hold}        holds that were lost; reason
//	holdgate.renew.duration    s, histogram  how long a renewal took; outcome
//	holdgate.renew.slack       s, histogram  how long before the end of trust it was answered
//	holdgate.sessions          {session}     sessions that were opened
//	holdgate.sessions.lost     {session}     sessions that were lost
//	holdgate.strays            {place}       places that nobody waited for, and were removed
//	holdgate.fence.refused     {write}       writes of older holders that a gate refused
//
// The outcome is "ok", "busy", "timeout" (the caller's context ended), "unavailable" or
// "error"; an end is "released" or "lost"; a reason is that of holdgate.LostReason.
// Slack that comes near 0 is the first sign of a store that is too slow for its TTL.
//
// The name of a lock is no label unless Options.Label says so: names are often made of IDs,
// and each one would be a series of its own.
//
// # Spans
//
// A span "holdgate acquire" is as long as a call of Lock took, a child of what its caller's
// context has; a span "holdgate hold" from then until the lock is released or lost. One that
// waited for another call of the same process has a link to that one's hold. Both have the
// name of the lock as an attribute.
package otel
