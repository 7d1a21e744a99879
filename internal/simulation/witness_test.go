package simulation_test

import (
	"context"
	"slices"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/internal/history"
)

// witness watches the store and notes when places appear and go: at the very moment,
// since in a bubble no time passes before everybody has reacted.
func (w *simWorld) witness(ctx context.Context) {
	standing := make(map[string][]driver.Place)
	for snapshot, err := range w.god.Watch(ctx, driver.Query{Prefix: true}) {
		if err != nil {
			return
		}
		for _, line := range snapshot.Lines {
			if w.plan.ofGroup(line) {
				continue // nobody holds anything by being there
			}
			for _, p := range standing[line.Name] {
				if line.Find(p.ID) < 0 {
					w.log.Add(history.Event{At: w.now(), Kind: history.Freed, Name: line.Name, Place: p.ID})
				}
			}
			for _, p := range line.Places {
				i := slices.IndexFunc(standing[line.Name], func(q driver.Place) bool { return q.ID == p.ID })
				if i < 0 {
					w.log.Add(history.Event{
						At: w.now(), Kind: history.Stood, Name: line.Name, Place: p.ID, Client: p.Owner, Token: p.Order << 8,
						Units: p.Units, Capacity: p.Capacity,
					})
				} else if standing[line.Name][i].Units != p.Units {
					w.log.Add(history.Event{At: w.now(), Kind: history.Lowered, Name: line.Name, Place: p.ID, Units: p.Units})
				}
			}
			standing[line.Name] = line.Places
		}
	}
}
