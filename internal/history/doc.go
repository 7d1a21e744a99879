// Package history records what the users of a lock service saw, and judges it.
//
// Clients append an [Event] for everything they see: asking, being granted, being told
// of a loss, releasing, writing to a resource. An observer of the store adds when
// places stood there, whoever injects faults adds which of them break a promise.
// [Check] then says which rules the history breaks. The checker knows nothing of
// how locks are made, so it judges a simulation and a cluster alike.
//
// # Time
//
// Event.At is nanoseconds on one clock for all events: a simulation's, or the
// monotonic clock of the one machine on which all the processes of a run live
// (CLOCK_MONOTONIC; not Go's, which begins anew in each process). An event that
// says what the code does is stamped before the deed, one that says what it learned
// after it: then an overlap in the history is an overlap in the world. What is learned
// later than it happened has both bounds, Since and At, and each rule takes the one with
// which it accuses nobody wrongly:
//
//   - Lost: Since is the last moment at which the hold certainly was held, At when its
//     user was told. Belief counts up to Since.
//   - Freed, Broken: Since is a moment at which the place certainly stood in the store,
//     At one at which it certainly did not. Stood is stamped by a moment at which the
//     place certainly did not stand yet.
//   - Stop is stamped before the process is stopped, Resume before it goes on.
//
// # Belief
//
// A hold is believed from its Grant until the code calls Release or is told of a loss,
// whichever comes first, except while its process is stopped: code that does not run
// does not act. When the first thing that a hold shows after a stop is that it has
// ended, its belief ended with the stop.
//
// # What it does not judge
//
// A history without Stood and Freed shows two holders only if two clients happen to
// meet. It has no bound on waiting before Calm.
package history
