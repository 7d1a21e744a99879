package checkup

import (
	"fmt"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
	"github.com/holdgate/holdgate/waitgraph"
)

// Deadlocks tells of cycles that were found in these lines.
func Deadlocks(lines []holdgate.Line, cycles []waitgraph.Cycle) []Finding {
	var findings []Finding
	for _, c := range cycles {
		f := Finding{
			Problem: Possible,
			Means: "None of them goes on, if in each process who holds is who waits. If others in it do, it passes;" +
				" if it is still here when you look again later, it does not.",
		}
		if c.Certain {
			f.Problem = Deadlock
			f.Means = "Each waits inside of what it holds, so none goes on before one gives up. A wait with a time limit ends by itself."
		}
		for _, s := range c.Steps {
			f.Names = append(f.Names, s.Waits.Name)
			f.Says = append(f.Says, step(s))
			f.Places = append(f.Places, spot(lines, s.Holds), spot(lines, s.Waits))
		}
		f.Do = []string{wayOut(c)}
		findings = append(findings, f)
	}
	return findings
}

// step says who holds what, and waits for what.
func step(s waitgraph.Step) string {
	holder, waiter := show.Owner(s.Holds.Place), show.Owner(s.Waits.Place)
	verb := "holds"
	if !s.Holds.Place.Granted {
		verb = "stands ahead in"
	}
	said := fmt.Sprintf("%s %s %s, and waits for %s", holder, verb, show.Text(s.Holds.Name), show.Text(s.Waits.Name))
	if s.Waits.Place.Session != s.Holds.Place.Session {
		said = fmt.Sprintf("%s %s %s, and inside of that %s waits for %s", holder, verb, show.Text(s.Holds.Name), waiter, show.Text(s.Waits.Name))
	}
	if s.Waits.Place.Granted {
		return said + ", which another one of its process has"
	}
	return said
}

// wayOut is how the cycle is ended at the least cost: one that waits is removed from its line,
// and gives up what it holds. Where all wait for others of their process, one is asked to go.
func wayOut(c waitgraph.Cycle) string {
	for _, s := range c.Steps {
		if !s.Waits.Place.Granted {
			return fmt.Sprintf("holdgate evict %s %s --reason deadlock # ends one of these waits, at once", show.Text(s.Waits.Name), s.Waits.Place.ID)
		}
	}
	at := c.Steps[0].Holds
	return fmt.Sprintf("holdgate evict %s %s --reason deadlock # asks one of the holders to go", show.Text(at.Name), at.Place.ID)
}
