// Package zkdriver keeps locks in ZooKeeper, one server or an ensemble.
//
//	drv, err := zkdriver.New([]string{"zk1:2181", "zk2:2181", "zk3:2181"}, nil)
//
// A place is an ephemeral sequential node below the node of its line, whose name says all
// that a grant depends on:
//
//	/holdgate/<escaped name of the line>/_c_<ID>-mutex.1.1-lock-0000000007
//
// The line is what stands there, in the order of the sequence. The place's Order is the
// transaction that made the node (czxid), which grows for the life of the ensemble; the
// sequence starts anew with the line.
//
// # What it guarantees
//
//   - Exclusion is linearizable: places are made by writes, which a quorum decides, and a
//     grant is read at or after them.
//   - Entering a line that is free and leaving it are one request each, once the line's
//     node exists. The servers remove that some time after the line became empty.
//   - Who waits for a mutex watches the two places ahead, so that a leave wakes two
//     processes: one that is granted, and reads nothing first, and one that finds out that it
//     is next. In a shared line all who wait are told of every change.
//   - A renewal is a write. Pings and reads prove nothing: a server that was cut off from
//     its leader answers them for seconds, while the leader gives the locks away. Even the
//     write reaches the leader's clock for the session only with the server's next
//     report: Features.RenewLag.
//   - The client keeps a session alive as long as its process runs. So the driver ends
//     one that was not renewed for its time to live.
//   - Curator's InterProcessMutex and the Lock of go-zookeeper under the same node are
//     waited for, and wait for ours. Kazoo's Lock does with
//     extra_lock_patterns=("-lock-",), and walks past our places without. With
//     Options.Verbatim names are paths, as theirs are.
//
// # What it does not guarantee
//
//   - A try that meets other tries may find all of them in each other's way
//     (Features.TryMayFailSpuriously): nothing can be made on the condition that nobody is
//     there.
//   - ZooKeeper grants a TTL of 2 to 20 of its ticks, 4 to 40 seconds by default. An Open
//     that asks for more fails; the servers' maxSessionTimeout raises it.
//   - Keys with a TTL end by the leader's clock on the wall.
//
// It needs ZooKeeper 3.5 or later, for container nodes.
package zkdriver
