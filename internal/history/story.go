package history

import (
	"fmt"
	"io"
	"strings"
	"time"
)

// Story writes a history for people: a line for each event, and what is wrong with it
// where it shows.
func Story(out io.Writer, events []Event, violations []Violation) error {
	var b strings.Builder
	for _, e := range events {
		for len(violations) > 0 && violations[0].At < e.At {
			b.WriteString(tell(violations[0]))
			violations = violations[1:]
		}
		fmt.Fprintln(&b, e)
	}
	for _, v := range violations {
		b.WriteString(tell(v))
	}
	_, err := io.WriteString(out, b.String())
	return err
}

func tell(v Violation) string {
	return fmt.Sprintf("%s  >>> %s: %s\n", clock(v.At), v.Rule, v.Text)
}

// clock is a time in seconds, to the nanosecond, in a column.
func clock(at time.Duration) string {
	if at == forever {
		return fmt.Sprintf("%14s", "at the end")
	}
	return fmt.Sprintf("%4d.%09d", at/time.Second, at%time.Second)
}

// String tells what happened, and when.
func (e Event) String() string {
	s, ok := e.deed()
	if !ok {
		s = string(e.Kind)
	}
	if e.Why != "" {
		s += ": " + e.Why
	}
	return clock(e.At) + "  " + s
}

func (e Event) deed() (string, bool) {
	switch e.Kind {
	case Start:
		return fmt.Sprintf("%s starts, TTL %v%v", e.Client, e.TTL, e.Passing), true
	case Stop:
		return e.Client + " is stopped", true
	case Resume:
		return e.Client + " goes on", true
	case Close:
		return e.Client + " closes", true
	case Closed:
		return e.Client + " is closed", true
	case Evict:
		return fmt.Sprintf("%s asks %s to leave %q", e.Client, e.place(), e.Name), true
	case Stood:
		return fmt.Sprintf("  the store has %s of %s in %q", e.place(), e.Client, e.Name), true
	case Freed:
		return fmt.Sprintf("  the store has %s in %q no more", e.place(), e.Name), true
	case Broken:
		return fmt.Sprintf("  %s is taken out of %q", e.place(), e.Name), true
	case Left:
		return fmt.Sprintf("  %s is left in %q", e.place(), e.Name), true
	case Calm:
		return "nothing goes wrong from now on", true
	}
	return e.deedOfHold()
}

func (e Event) deedOfHold() (string, bool) {
	switch e.Kind {
	case Ask:
		return fmt.Sprintf("%s asks for %q", e.Hold, e.Name), true
	case Grant:
		return fmt.Sprintf("%s is granted %q, token %d, %s", e.Hold, e.Name, e.Token, e.place()), true
	case Refuse:
		return fmt.Sprintf("%s does not get %q", e.Hold, e.Name), true
	case GiveUp:
		return e.Hold + " gives up", true
	case Held:
		return fmt.Sprintf("%s holds %q", e.Hold, e.Name), true
	case Lost:
		return fmt.Sprintf("%s lost %q", e.Hold, e.Name), true
	case Lowered:
		if e.Hold == "" {
			return fmt.Sprintf("  the store has %s with %d of %q", e.place(), e.Units, e.Name), true
		}
		return fmt.Sprintf("%s is to take %d of %q", e.Hold, e.Units, e.Name), true
	case Saw:
		return fmt.Sprintf("%s sees term %d of %q, %s", e.Hold, e.Token, e.Name, e.place()), true
	case Began:
		return fmt.Sprintf("%s begins %q", e.Hold, e.Name), true
	case Done:
		return fmt.Sprintf("%s has done %q, remembered until %v", e.Hold, e.Name, e.Until), true
	case Met:
		return fmt.Sprintf("%s is let through %q, a barrier of %d", e.Hold, e.Name, e.Capacity), true
	case Release:
		return fmt.Sprintf("%s releases %q", e.Hold, e.Name), true
	case Released:
		return fmt.Sprintf("%s has released %q", e.Hold, e.Name), true
	case Accept:
		return fmt.Sprintf("%q takes a write of %s, token %d", e.Name, e.Hold, e.Token), true
	case Reject:
		return fmt.Sprintf("%q refuses a write of %s, token %d", e.Name, e.Hold, e.Token), true
	}
	return "", false
}

// place is a place's ID, short enough to read and long enough to find.
func (e Event) place() string { return fmt.Sprintf("place %.6s", e.Place) }

func (p *Passing) String() string {
	if p == nil {
		return ""
	}
	return fmt.Sprintf(", passes a lock on %d times, for %v", p.Grants, p.Time)
}
