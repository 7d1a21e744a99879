// Package etcddriver keeps locks in etcd, one server or a cluster.
//
//	client, err := clientv3.New(clientv3.Config{Endpoints: []string{"10.0.0.1:2379"}})
//	drv, err := etcddriver.New(client, nil)
//
// A place is a key on the lease of its session:
//
//	/holdgate/<escaped name of the line>/<ID>   mutex/1/1 {"owner":"...","ttl":10,"data":{...}}
//
// The line is what stands under its name, in the order of the keys' create revisions.
// The create revision is the place's Order.
//
// # What it guarantees
//
//   - Exclusion is linearizable: it is decided by one transaction of etcd's, through
//     crashes, partitions and changes of leader.
//   - Entering a line and leaving it are one transaction each. A refused claim has
//     written nothing, at no moment.
//   - Who waits is told by a watch that covers the whole line, its own place included. It
//     reads the line once when it begins, and nothing afterwards.
//   - A renewal has succeeded when the lease was renewed and the session's record was
//     read, up to date, beside it. So a lease that is gone is never taken for renewed,
//     whatever the member says that was asked.
//   - Locks of etcdctl lock, of the lock service and of Go's concurrency.Mutex under the
//     same name are waited for, and wait for ours.
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
// The driver takes a client's connection and speaks over it by itself: the client's own
// retries would repeat what may have happened already. So wrappers around the
// client's interfaces, such as its namespace package, are not seen: use Options.Prefix.
package etcddriver
