package membership

import (
	"context"
	"iter"
	"slices"
)

// Snapshot is who is in a group at one moment.
type Snapshot struct {
	// Members are sorted by ID. They are the receiver's own.
	Members []Member
	// Revision counts the changes that this watch has seen, from 1: the members are the same
	// exactly as long as it is. It means nothing to another watch.
	Revision uint64
	// Stale says that the store cannot be reached at the moment: the members are as they were
	// seen last.
	Stale bool
}

// Watch yields all members, and again whenever they changed. Changes may be merged, the last
// one is never withheld, and no older list follows a newer one.
//
// Through an outage of the store it goes on by itself: it yields the last list once more, as
// stale, at most a TTL after the store went away, and a fresh one when it is back. A list is
// never empty because the store is away; it is when nobody is there. Nothing is
// yielded before the store was reached once.
//
// It ends with an error: the cause of ctx, ErrClosed after the end of the client, or what a store
// answers that refuses.
func (g Group) Watch(ctx context.Context) iter.Seq2[Snapshot, error] {
	return func(yield func(Snapshot, error) bool) {
		var last Snapshot
		for roll, err := range g.line.Watch(ctx) {
			if err != nil {
				yield(Snapshot{}, err)
				return
			}
			now := Snapshot{Members: membersOf(roll.Places), Revision: last.Revision, Stale: roll.Stale}
			switch {
			case last.Revision == 0 || !slices.Equal(now.Members, last.Members):
				now.Revision++
			case now.Stale == last.Stale:
				continue // something that is not shown, as a mark
			}
			last = now
			now.Members = slices.Clone(now.Members)
			if !yield(now, nil) {
				return
			}
		}
	}
}
