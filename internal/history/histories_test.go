package history_test

import (
	"time"

	"github.com/holdgate/holdgate/internal/history"
)

// Histories that several tests vary.

// and is a history with more events in their places.
func and(events []history.Event, more ...history.Event) []history.Event {
	return history.Merge(events, more)
}

// stopped is a history in which a is stopped while it holds, b is granted, and then a
// goes on and shows this first.
func stopped(first history.Event) []history.Event {
	return []history.Event{
		at(0, start("a")),
		at(1*ms, of(history.Ask, "a1")),
		at(2*ms, grant("a1", "aP", 256)),
		at(5*ms, about(history.Stop, "a")),
		at(6*ms, of(history.Ask, "b1")),
		at(30*ms, grant("b1", "bP", 512)),
		at(32*ms, about(history.Resume, "a")),
		first,
		at(40*ms, of(history.Release, "b1")),
	}
}

// expired is a history in which the session of a expires, and the place is freed that
// long after a was told.
func expired(guard time.Duration) []history.Event {
	return []history.Event{
		at(0, start("a")),
		at(1*ms, of(history.Ask, "a1")),
		at(1*ms, in(history.Stood, "aP")),
		at(2*ms, grant("a1", "aP", 256)),
		at(20*ms, because(history.ByExpiry, of(history.Lost, "a1"))),
		at(20*ms+guard, in(history.Freed, "aP")),
	}
}

// broken is a history in which the place of a is taken away at 15 ms, and a told until
// then, at 20 ms.
func broken(by time.Duration) []history.Event {
	return []history.Event{
		at(0, start("a")),
		at(1*ms, of(history.Ask, "a1")),
		at(1*ms, in(history.Stood, "aP")),
		at(2*ms, grant("a1", "aP", 256)),
		at(14*ms, in(history.Stood, "bP")),
		at(15*ms, until(by, in(history.Broken, "aP"))),
		at(15*ms, in(history.Freed, "aP")),
		at(16*ms, of(history.Ask, "b1")),
		at(17*ms, grant("b1", "bP", 512)),
		at(18*ms-1, of(history.Release, "b1")),
		at(20*ms, because(history.ByRemoval, of(history.Lost, "a1"))),
	}
}

// lost is a history in which a is told of a loss for this reason while its place
// stands.
func lost(why string) []history.Event {
	return []history.Event{
		at(1*ms, of(history.Ask, "a1")),
		at(1*ms, in(history.Stood, "aP")),
		at(2*ms, grant("a1", "aP", 256)),
		at(20*ms, because(why, of(history.Lost, "a1"))),
		at(21*ms, of(history.Release, "a1")),
		at(22*ms, in(history.Freed, "aP")),
	}
}

// released is a history in which the release of a is answered like this.
func released(why string) []history.Event {
	events := good()
	for i := range events {
		if events[i].Kind == history.Released && events[i].Hold == "a1" {
			events[i].Why = why
		}
	}
	return events
}

// tokens is a history of two grants with these tokens.
func tokens(first, second uint64) []history.Event {
	return []history.Event{
		at(1, of(history.Ask, "a1")), at(2, grant("a1", "aP", first)), at(3, of(history.Release, "a1")),
		at(4, of(history.Ask, "b1")), at(5, grant("b1", "bP", second)), at(6, of(history.Release, "b1")),
	}
}

// passed is a history in which b waits while a passes the lock on among its own, that
// often and for that long.
func passed(times int, long time.Duration) []history.Event {
	events := []history.Event{
		at(0, start("a")),
		at(1*ms, in(history.Stood, "aP")),
		at(2*ms, in(history.Stood, "bP")),
	}
	for n := range times {
		hold := "a" + string(rune('1'+n))
		from := 3*ms + long*time.Duration(n)/time.Duration(times-1)
		events = append(events, at(from, grant(hold, "aP", 256+uint64(n))), at(from+1, of(history.Release, hold)))
	}
	return append(events,
		at(50*ms, in(history.Freed, "aP")), at(60*ms, grant("b1", "bP", 512)),
		at(61*ms, of(history.Release, "b1")), at(62*ms, in(history.Freed, "bP")))
}

// gaveUp is a history in which the context of a Lock ends, and it returns that long
// after.
func gaveUp(late time.Duration) []history.Event {
	return []history.Event{
		at(1*ms, of(history.Ask, "a1")), at(5*ms, of(history.GiveUp, "a1")),
		at(5*ms+late, because("given up", of(history.Refuse, "a1"))),
	}
}

// tried is a good history in which c is told that the lock is busy.
func tried(when time.Duration) []history.Event {
	return with(at(when, of(history.Ask, "c1")), at(when+1, because(history.Busy, of(history.Refuse, "c1"))))
}

// learned is a history whose events of this kind were learned of, and happened after that
// moment.
func learned(kind history.Kind, since time.Duration, events []history.Event) []history.Event {
	for i := range events {
		if events[i].Kind == kind {
			events[i].Since = since
		}
	}
	return events
}

// lostLate is the good history, but a is told of a loss when b was granted already.
func lostLate() []history.Event {
	events := without(without(good(), history.Release, "a1"), history.Released, "a1")
	return and(events, at(23*ms, because(history.ByClose, of(history.Lost, "a1"))))
}

// closedLate is the good history, with a place of a that is seen to be gone only after a
// was closed, and certainly stood at that moment.
func closedLate(stood time.Duration) []history.Event {
	freed := in(history.Freed, "aQ")
	freed.Since = stood
	return with(at(45*ms, in(history.Stood, "aQ")), at(55*ms, freed))
}

// brokenLate is a history in which the place of a is known to be taken away at 20 ms, a
// learns at this moment that it was granted, and b was at 14 ms, with a larger token.
func brokenLate(granted time.Duration) []history.Event {
	return history.Merge([]history.Event{
		at(1*ms, of(history.Ask, "a1")),
		at(1*ms, in(history.Stood, "aP")),
		at(granted, grant("a1", "aP", 256)),
		at(20*ms, until(50*ms, in(history.Broken, "aP"))),
		at(20*ms, in(history.Freed, "aP")),
		at(25*ms, because(history.BySession, of(history.Lost, "a1"))),
	}, []history.Event{
		at(2*ms, of(history.Ask, "b1")),
		at(2*ms, in(history.Stood, "bP")),
		at(14*ms, grant("b1", "bP", 512)),
		at(18*ms, of(history.Release, "b1")),
		at(18*ms, in(history.Freed, "bP")),
	})
}
