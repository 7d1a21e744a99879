package show

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/holdgate/holdgate/membership"
)

// Members lists members, one a row, under a heading.
func Members(members []membership.Member, now time.Time) []string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "MEMBER\tFOR\tOWNER\tDATA")
	for _, m := range members {
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", Text(m.ID), Duration(now.Sub(m.Joined)), Text(m.Owner), quoteIfAny(m.Data))
	}
	_ = w.Flush() // to a buffer
	rows := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// MemberEvent is something that happened to a member, in JSON too.
type MemberEvent struct {
	Time   time.Time            `json:"time"` // when it was seen, here
	Event  membership.EventType `json:"event"`
	Group  string               `json:"group"`
	Member membership.Member    `json:"member"`
}

// String is the event as people read it.
func (e MemberEvent) String() string {
	s := fmt.Sprintf("%s  %-7s  %s", e.Time.Local().Format(time.TimeOnly), e.Event, Text(e.Member.ID))
	if e.Member.Data != "" && (e.Event == membership.Joined || e.Event == membership.Changed) {
		s += "  " + Text(e.Member.Data)
	}
	return s
}
