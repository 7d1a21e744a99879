// Package fence is the resource's side of a lock: it refuses a holder that lost the lock
// and does not know it.
//
// No lock can stop a process that was paused between its last look at the lock and its
// next write. So every exclusive grant has a fencing token, larger than those of all
// earlier grants of that name. The holder shows it with each write, as a [Pass], and the
// resource remembers the largest one it was shown and refuses smaller ones.
//
//	pass, err := fence.Of(hold)   // the holder's side: refuses what does not fence
//	err = gate.Do(ctx, pass, fn)  // the resource's side: *StaleError for an older one
//
// A [Gate] is for resources that live in the memory of one process. The check belongs
// where the write happens, in the same atomic step, so there is a package for each kind
// of resource: sqlfence (inside the caller's transaction), httpfence, and, as modules of
// their own, grpcfence and redisfence. On etcd the driver gives a condition for the
// caller's own transaction (etcddriver.Driver.Stands). For jobs of a shell there is
// holdgate fence check.
//
// # What it guarantees
//
// Once a resource was shown a token of a name, it accepts no smaller one of that name. Two
// holders whose tokens differ are told apart however long one of them was paused, and
// whatever its clock shows.
//
// # What it does not
//
//   - A resource that has not been shown the newer token yet still accepts the older one.
//     What the paused holder writes before the new holder's first write stands, as if
//     it had come in time. A new holder that reads before it writes shows its token with
//     the reads too.
//   - Equal tokens are accepted, since one grant writes many times. So a repeated write is
//     not detected: that is what idempotency keys are for.
//   - Tokens of different names, and of different stores, have nothing to do with each
//     other. When the locks of a resource move to another store, or their store is set
//     back by a restored backup, what the resource remembers must be removed once, with
//     nobody holding.
//   - Shared holds do not fence, and stores without tokens give none: [Of] refuses both.
package fence
