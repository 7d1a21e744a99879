// Package holdgate lets two processes not do the same thing at once: distributed locks
// with one API over memory, the files of one machine, etcd, ZooKeeper and Redis.
//
//	client, err := holdgate.New(drv, nil)
//	hold, err := client.Mutex("orders/42").Lock(ctx)
//	defer hold.Release(ctx)
//	work(hold.Context()) // ends when the lock is lost
//
// # What it guarantees
//
//   - At most one hold of a name is believed at any moment, over all processes, as far
//     as the store keeps what its Features promise and clocks run at the same rate
//     to within 1 %.
//   - Readers hold a read/write lock together, and never beside a writer; never are more
//     permits of a semaphore held than it has; leaders of an election do not overlap.
//   - A holder that loses the lock is told, through the hold's context, before the store
//     can grant it to another.
//   - Every grant has a fencing token, larger than that of all earlier grants of the
//     name (where Features.Tokens is set).
//   - Waiters are served in the order in which they came, processes that is; the
//     goroutines of one process pass a lock on among themselves for at most
//     Options.Handoff before the others' turn.
//   - Whoever gives up waiting, whatever happens at that moment, leaves nothing behind
//     in the line; nor does a release whose answer was lost. An operation is never
//     confused with another's: every attempt has an ID of its own.
//
// # What it does not guarantee
//
// A process that is stopped (by the scheduler, a debugger, its virtual machine) at
// the wrong moment may act for an instant after its lock went to another. No lock
// service can prevent that; a resource that checks [Token] can. docs/guarantees.md
// says what holds for each store, and what does not.
package holdgate
