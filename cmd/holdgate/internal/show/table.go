package show

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/holdgate/holdgate"
)

// Table lists lines, one a row, under a heading: what each is, who holds it and how
// many wait.
func Table(lines []holdgate.Line, now time.Time, orphans Orphans) []string {
	var out bytes.Buffer
	w := tabwriter.NewWriter(&out, 0, 0, 3, ' ', 0)
	fmt.Fprintln(w, "NAME\tHOLDER\tHELD\tTOKEN\tWAITING\tREASON")
	for _, l := range lines {
		holders, waiting := Split(l)
		if len(holders) == 0 {
			fmt.Fprintf(w, "%s\t-\t-\t-\t%d\t\n", Text(l.Name), waiting)
			continue
		}
		p := holders[0]
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\t%d\t%s\n", Text(l.Name), holderCell(holders),
			orDash(Held(p, now)), orDash(tokenText(p.Token)), waiting, reasonCell(p, orphans(p)))
	}
	_ = w.Flush() // to a buffer
	rows := strings.Split(strings.TrimRight(out.String(), "\n"), "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return rows
}

// Split returns the places that hold, and how many wait.
func Split(l holdgate.Line) (holders []holdgate.Place, waiting int) {
	for _, p := range l.Places {
		if p.Granted {
			holders = append(holders, p)
		} else {
			waiting++
		}
	}
	return holders, waiting
}

func holderCell(holders []holdgate.Place) string {
	if more := len(holders) - 1; more > 0 {
		return fmt.Sprintf("%s and %d more", Owner(holders[0]), more)
	}
	return Owner(holders[0])
}

func reasonCell(p holdgate.Place, orphan *Orphan) string {
	text := ""
	if orphan != nil {
		text = fmt.Sprintf("(process %d has ended) ", orphan.PID)
	}
	if p.Eviction != nil {
		text += "(asked to go) "
	}
	return text + quoteIfAny(p.Reason)
}

func quoteIfAny(s string) string {
	if s == "" {
		return ""
	}
	return Text(s)
}

func orDash(s string) string {
	if s == "" {
		return "-"
	}
	return s
}
