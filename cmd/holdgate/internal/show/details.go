package show

import (
	"fmt"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/driver"
)

// Details describes a line with all its places, a row each.
func Details(l holdgate.Line, now time.Time, orphans Orphans) []string {
	rows := []string{Text(l.Name)}
	position := 0
	for _, p := range l.Places {
		if p.Granted {
			rows = append(rows, holding(p, now)...)
			if o := orphans(p); o != nil {
				rows = append(rows, "  "+o.String())
			}
			continue
		}
		position++
		rows = append(rows, fmt.Sprintf("  %d. waits  %s%s  place %s", position, Owner(p), purpose(p), Text(p.ID)))
	}
	return rows
}

// holding describes a place that holds.
func holding(p holdgate.Place, now time.Time) []string {
	row := "  held by   " + Owner(p)
	if held := Held(p, now); held != "" {
		row += fmt.Sprintf(" for %s, since %s", held, p.Since.Local().Format(time.DateTime))
	}
	rows := []string{row + purpose(p)}
	if p.Token != 0 {
		rows = append(rows, "  token     "+p.Token.String())
	}
	switch {
	case p.Kind == driver.KindSemaphore:
		rows = append(rows, fmt.Sprintf("  permits   %d of %d", p.Units, p.Capacity))
	case p.Kind == driver.KindRW && p.Units < p.Capacity:
		rows = append(rows, "  shared    with others that read")
	}
	if p.Value != "" {
		rows = append(rows, "  tells     "+Text(p.Value))
	}
	rows = append(rows, "  place     "+Text(p.ID))
	if e := p.Eviction; e != nil {
		rows = append(rows, fmt.Sprintf("  asked to go by %s: %s", Text(e.By), Text(e.Reason)))
	}
	return rows
}

// purpose says what a place is for, if that is known.
func purpose(p holdgate.Place) string {
	if p.Reason == "" {
		return ""
	}
	return " (" + Text(p.Reason) + ")"
}
