package drivertest

import (
	"time"

	"github.com/holdgate/holdgate/driver"
)

func nudgeCases() []testCase {
	return []testCase{
		{
			name: "nudge/evicted",
			reason: "An operator who asks a holder to go waits for it. A driver that says it hears of that " +
				"must not leave it to the next renewal.",
			needs: all(nudge, queue),
			run:   nudgeEvicted,
		},
		{
			name: "nudge/session-ended",
			reason: "A session that is ended before its time is believed until somebody asks, while others " +
				"are granted: every moment counts.",
			needs: all(nudge, canEndSession),
			run:   nudgeSessionEnded,
		},
		{
			name:   "nudge/quiet",
			reason: "A renewal for every nudge: one who is nudged by what others do, or it does itself, renews all day.",
			needs:  all(nudge, queue),
			run:    nudgeQuiet,
		},
		{
			name: "nudge/undeclared",
			reason: "What is not declared is not relied on: somebody who counts on nudges that never " +
				"come finds out too late.",
			needs: not(nudge),
			run:   nudgeUndeclared,
		},
	}
}

// nudges returns where the session is nudged, after a first renewal.
func (a *actor) nudges() <-chan struct{} {
	a.Helper()
	a.renew()
	nudger, ok := a.ses.(driver.Nudger)
	if !ok {
		a.Fatal("the driver declares Nudge and its sessions do not implement it")
	}
	return nudger.Nudges()
}

// nudged waits for a nudge.
func (e *env) nudged(nudges <-chan struct{}, why string) {
	e.Helper()
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case <-nudges:
	case <-late.C:
		e.Fatalf("not nudged within %v though %s", patience, why)
	}
}

func nudgeEvicted(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	nudges := a.nudges()
	b.evict(p, ask("maintenance"))
	e.nudged(nudges, "its place was asked to go")
	if marks := a.renew(); len(marks) != 1 {
		e.Errorf("Renew told %d evictions after the nudge, want 1", len(marks))
	}
}

func nudgeSessionEnded(e *env) {
	a, b := e.actor(), e.actor()
	p := a.take(mutex("orders"))
	nudges := a.nudges()
	e.Hooks.EndSession(e.TB, b.drv, a.ses.ID())
	e.nudged(nudges, "its session was ended")
	a.isLost(p)
}

func nudgeQuiet(e *env) {
	a, b := e.actor(), e.actor()
	nudges := a.nudges()
	for range 3 {
		p := a.take(mutex("orders"))
		w := b.queue(mutex("orders"))
		p = a.swap(p, mutex("orders"))
		w.granted()
		w.leave()
		a.leave(p)
		b.renew()
	}
	select {
	case <-nudges:
		e.Error("nudged by what it did itself, and by what others did for themselves")
	default:
	}
}

func nudgeUndeclared(e *env) {
	a, b := e.actor(), e.actor()
	nudger, ok := a.ses.(driver.Nudger)
	if !ok {
		return // not to have the method at all is the plainest refusal
	}
	p := a.take(mutex("orders"))
	if queue(e.setting) {
		b.evict(p, ask("maintenance"))
		a.renew()
	}
	select {
	case <-nudger.Nudges():
		e.Error("nudged, though Nudge is not declared")
	default:
	}
}
