package show

import (
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/holdgate/holdgate"
)

// Text returns s as it may be printed: quoted, when it has anything in it but letters,
// signs and single spaces between them.
func Text(s string) string {
	for _, r := range s {
		if !unicode.IsPrint(r) {
			return strconv.Quote(s)
		}
	}
	if s == "" || s != strings.TrimSpace(s) || strings.Contains(s, "  ") {
		return strconv.Quote(s)
	}
	return s
}

// Owner says who a place belongs to.
func Owner(p holdgate.Place) string {
	switch {
	case p.Foreign:
		return "other software"
	case p.Owner == "":
		return "an unknown owner"
	}
	return Text(p.Owner)
}

// Duration returns d as people read it: two units at most.
func Duration(d time.Duration) string {
	const day = 24 * time.Hour
	switch {
	case d < time.Second:
		return fmt.Sprintf("%dms", max(d, 0).Milliseconds())
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm%02ds", int(d.Minutes()), int(d.Seconds())%60)
	case d < day:
		return fmt.Sprintf("%dh%02dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd%02dh", d/day, int(d.Hours())%24)
}

// Held says for how long a place has been held, "" where that is not known: it
// is told by the holder, once it has held for a second.
func Held(p holdgate.Place, now time.Time) string {
	if p.Since.IsZero() {
		return ""
	}
	return Duration(now.Sub(p.Since))
}
