package membership

import (
	"context"
	"iter"
	"maps"
	"slices"
)

// EventType says what happened to a member.
type EventType string

// What can happen to a member.
const (
	// Joined: it is there. Those who are there when Events begins come first.
	Joined EventType = "joined"
	// Changed: it tells other data.
	Changed EventType = "changed"
	// Left: it has said that it leaves.
	Left EventType = "left"
	// Lost: it is gone and has not said so, or what it said is forgotten: see [Group.Events].
	Lost EventType = "lost"
)

// Event is something that happened to a member.
type Event struct {
	Type EventType `json:"type"`
	// Member is how it is now or, when it is gone, how it was seen last.
	Member Member `json:"member"`
}

// Events yields what happens in the group, one after the other: first Joined for each who is
// there. It is worked out of what Watch yields, and ends as that does. What came and went
// between two looks is left out, and so is an entry that was renewed in between; a process that
// was started again under its ID, however fast, is gone and then Joined. While the store is
// away nothing is yielded, and nobody is lost for that.
//
// A member that leaves says so in the store's map (Features.KV) before it goes, and that is kept
// for ten minutes. So Left is certain. Lost means that the member's session has ended (it
// crashed, was cut off, or closed its client without leaving), that somebody removed its
// entry, or one of these: it could not say goodbye, since the store was away when it left; the
// one who watches did not reach the store for ten minutes; the store has no map, or lost it.
// A member that is Lost may be alive: then it comes back, and Joined follows.
func (g Group) Events(ctx context.Context) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		before := map[string]Member{}
		for s, err := range g.Watch(ctx) {
			if err != nil {
				yield(Event{}, err)
				return
			}
			if s.Stale {
				continue
			}
			now := make(map[string]Member, len(s.Members))
			for _, m := range s.Members {
				now[m.ID] = m
			}
			for e, err := range g.changes(ctx, before, now) {
				if !yield(e, err) || err != nil {
					return
				}
			}
			before = now
		}
	}
}

// changes yields what happened between two lists: who is gone, then who came or changed.
func (g Group) changes(ctx context.Context, before, now map[string]Member) iter.Seq2[Event, error] {
	return func(yield func(Event, error) bool) {
		for _, id := range slices.Sorted(maps.Keys(before)) {
			was := before[id]
			if now[id].Incarnation == was.Incarnation {
				continue
			}
			e := Event{Type: Lost, Member: was}
			left, err := g.left(ctx, was)
			if left {
				e.Type = Left
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
		for _, id := range slices.Sorted(maps.Keys(now)) {
			was, is := before[id], now[id]
			switch {
			case was.Incarnation != is.Incarnation:
				if !yield(Event{Type: Joined, Member: is}, nil) {
					return
				}
			case was.Data != is.Data:
				if !yield(Event{Type: Changed, Member: is}, nil) {
					return
				}
			}
		}
	}
}
