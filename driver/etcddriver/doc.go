// Package etcddriver keeps locks in etcd, one server or a cluster.
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"10.0.0.1:2379"}})
//	drv, err := etcddriver.New(client, nil)
//
// A place is a key on the lease of its session, whose ID is in the value:
//
//	/holdgate/<escaped name of the line>/<lease>   mutex/1/1 <ID> {"owner":"...","ttl":10,"data":{...}}
//
// The line is what stands under its name, in the order of the keys' create revisions.
// The create revision is the place's Order. A session uses its key in a line again for
// its next place there, see docs/adr/0005-etcd-keys.md.
//
// # What it guarantees
//
//   - Exclusion is linearizable: it is decided by one transaction of etcd's, through
//     crashes, partitions and changes of leader.
//   - Entering a line and leaving it are one transaction each; entering one that was not
//     expected to be taken is two. A refused claim has written nothing, at no moment
//     (except where Options.Verbatim says otherwise). A try of a line that was refused before
//     is refused by a read, which the store writes nothing down for.
//   - What many goroutines ask for at once goes in few transactions: while four are under way,
//     what enters, swaps and leaves gathers for the next, see docs/adr/0016-group-commit.md.
//     Nobody waits for others to come, and each is told its own outcome.
//   - A place that was left does not come back, whatever requests to make it are still
//     under way.
//   - Who waits is told by a watch. In a short or a shared line it covers the whole line,
//     and nothing is read; in a long one it covers the place ahead, and a hand-over is one
//     read and wakes one process, which learns within a second when its own place is
//     removed meanwhile.
//   - A renewal has succeeded when the lease was renewed and the session's record was
//     read after it, up to date and in the same term. So neither a lease that is gone nor
//     one that was renewed by a leader that had been replaced is taken for renewed,
//     whatever the member says that was asked.
//   - Of several endpoints one is asked as long as it answers. One that is dead, hangs or is
//     cut off is left: at once where it refuses, when a caller's patience ends without a
//     word from it, and after three seconds in any case. It is taken back in its turn.
//   - Locks of etcdctl lock, of the lock service and of Go's concurrency.Mutex under the
//     same name are waited for, and wait for ours. With Options.Layout so are locks that are
//     one key, as those of npm's etcd3.
//   - One name is never a queue and such a key at once: who would be the first in one finds
//     the other in its own transaction, and is refused. Other software does not look.
//
// # What it does not guarantee
//
//   - A change of leader starts every lease anew. A dead holder then lingers for up to
//     one more TTL, each time.
//   - etcd frees at the granted TTL, which is whole seconds, at least 2 with default
//     settings. Session.TTL tells it.
//   - A request that timed out here may still be carried out seconds later. Callers
//     reconcile by Session.Present.
//
// The driver takes a client's endpoints and configuration and connects by itself, so
// that it can choose whom it asks. The client's own retries would repeat what may have
// happened already, so they are cut short. Wrappers around the client's interfaces, such
// as its namespace package, are not seen: use Options.Prefix.
package etcddriver
