package main

import (
	"context"
	"errors"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/cmd/holdgate/internal/checkup"
	"github.com/holdgate/holdgate/driver"
)

// remembers is a driver whose store tells for how long it keeps a session that it hears no more of.
type remembers interface {
	Remaining(ctx context.Context, session string) (time.Duration, error)
}

// examine tells which sessions are not well, as far as the store tells.
func (d *diagnosis) examine(ctx context.Context, c *connection, lines []holdgate.Line) ([]checkup.Finding, error) {
	store, tells := c.driver.(remembers)
	var findings []checkup.Finding
	expires := false
	for _, s := range checkup.Sessions(lines) {
		expires = expires || s.TTL > 0
		s.Orphan = c.orphan(holdgate.Place{Session: s.ID, Granted: true})
		if tells && s.TTL > 0 {
			left, err := ask(ctx, func(ctx context.Context) (time.Duration, error) { return store.Remaining(ctx, s.ID) })
			if errors.Is(err, driver.ErrGone) {
				continue // it ended since the lines were read
			}
			if err != nil {
				return nil, err
			}
			s.Silent = s.TTL - left
		}
		findings = append(findings, s.Judge()...)
	}
	if expires && !tells {
		d.Unseen = append(d.Unseen, "which sessions are overdue: this store does not tell")
	}
	return findings, nil
}
