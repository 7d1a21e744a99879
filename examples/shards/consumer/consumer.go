package consumer

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"time"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/membership"
)

// Consumer is one member of the group.
type Consumer struct {
	// Name is unlike that of every other member. One that is started again takes its old one.
	Name string
	// Group is the name of the group, and what the names of its locks begin with.
	Group  string
	Client *holdgate.Client
	Stream *Stream
	Shards int
	// Handle is what takes time, and happens outside of the database. Its context ends when
	// the shard's lock is lost.
	Handle func(context.Context, Event) error
	// Poll is how often a shard without events is looked at, and how long after an
	// error it is tried again.
	Poll time.Duration
	Log  *slog.Logger
}

// Run consumes its share of the shards until ctx ends, or another takes its name.
func (c *Consumer) Run(ctx context.Context) error {
	own, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	group := membership.Of(c.Client, c.Group)
	me, err := group.Join(own, c.Name, "")
	if err != nil {
		return err
	}
	go func() { // ends with the membership, which ends below
		<-me.Done()
		stop(me.Err())
	}()
	work := newAssignment(c.consume)
	err = c.follow(own, group, work)
	left := me.Leave(context.WithoutCancel(ctx)) // the others may get in line for our shards
	work.end()
	if ctx.Err() != nil && left == nil {
		return nil // it was asked to end
	}
	return errors.Join(err, left)
}

// follow works on what the list of members gives to this one, whenever that changes.
func (c *Consumer) follow(ctx context.Context, group membership.Group, work *assignment) error {
	for s, err := range group.Watch(ctx) {
		switch {
		case err != nil:
			return err
		case s.Stale:
			continue // the store is away, and nobody is gone for that
		}
		mine := Share(names(s.Members), c.Name, c.Shards)
		c.Log.LogAttrs(ctx, slog.LevelInfo, "share", slog.Int("members", len(s.Members)), slog.Any("shards", mine))
		work.set(ctx, mine)
	}
	return nil
}

func names(members []membership.Member) []string {
	ids := make([]string, len(members))
	for i, m := range members {
		ids[i] = m.ID
	}
	return ids
}

// lock is what a shard is consumed under.
func (c *Consumer) lock(shard int) holdgate.Mutex {
	return c.Client.Mutex(fmt.Sprintf("%s/shard/%d", c.Group, shard))
}
