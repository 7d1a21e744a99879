package main

import (
	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/show"
)

// keeps is a driver whose sessions may outlive the process that opened them: what it started
// keeps them.
type keeps interface {
	Orphaned(session string) (pid int, orphaned bool)
	Keepers(session string) []int
}

// orphan tells whether the process that took a place has ended, and what keeps it then.
func (c *connection) orphan(p holdgate.Place) *show.Orphan {
	d, ok := c.driver.(keeps)
	if !ok || !p.Granted || p.Foreign {
		return nil
	}
	pid, orphaned := d.Orphaned(p.Session)
	if !orphaned {
		return nil
	}
	return &show.Orphan{PID: pid, KeptBy: d.Keepers(p.Session)}
}
