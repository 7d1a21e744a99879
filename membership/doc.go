// Package membership tells which processes of a fleet are there, and lets a process be one of
// them for as long as it lives.
//
//	group := membership.Of(client, "workers")
//	me, err := group.Join(ctx, "worker-7", "10.0.0.7:9000")
//	defer me.Leave(ctx)
//	for s, err := range group.Watch(ctx) { ... } // all members, whenever that changed
//
// # What it guarantees
//
//   - Who has joined is a member until it leaves: after a lost session, or when its entry was
//     deleted, it joins again by itself, with its newest data, as soon as it reaches the store.
//   - Who has left never comes back, whatever was under way at that moment.
//   - A process that crashed is no member any more one TTL (Options.TTL of its client), and the
//     store's slack, later. When it starts again with the same ID before that, it replaces
//     its old entry at once, and the end of the old session does not touch the new one.
//   - An ID is one member, the one that joined last. An older one that is still alive is told
//     (ErrReplaced), and does not come back.
//   - A watch yields whole lists, never an older one after a newer; while the store is away the
//     last one stands, marked as stale. It is never empty for that.
//
// # What it does not guarantee
//
// A list is a moment of the past. A process that is on it may have died within the last TTL,
// and one that was cut off from the store may be alive without being on it. So a
// list does not exclude anything: two processes may see different lists at one moment, and both
// think that a piece of work is theirs. Take a lock for that, and use the list to decide
// who tries.
//
// A store that lost its data has no members until each has joined again: within a quarter of a
// TTL. Then the list is empty and not stale.
package membership
