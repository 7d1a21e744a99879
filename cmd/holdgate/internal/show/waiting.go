package show

import (
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
)

// Whoever is in line waits: the one who holds is not counted, here as in tables.

// Waiting says in one line whom somebody waits for.
func Waiting(w holdgate.Waiting, now time.Time) string {
	return fmt.Sprintf("waiting for %s, %s in line: %s", Text(w.Name), Ordinal(max(w.Ahead, 1)), HeldBy(w.Holder, now))
}

// Busy says in one line who was in the way of a try.
func Busy(b *holdgate.BusyError, now time.Time) string {
	s := Text(b.Name) + " is busy: " + HeldBy(b.Holder, now)
	if b.Ahead > 0 {
		s += fmt.Sprintf(", %d in line", b.Ahead-1)
	}
	return s
}

// HeldBy says who holds, for how long and what for, as far as that is known.
func HeldBy(p holdgate.Place, now time.Time) string {
	s := "held by " + Owner(p)
	if held := Held(p, now); held != "" {
		s += " for " + held
	}
	return s + purpose(p)
}

// Ordinal returns 1st, 2nd, 3rd, 4th and so on.
func Ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprintf("%d%s", n, suffix)
}
