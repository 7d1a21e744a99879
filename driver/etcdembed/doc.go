// Package etcdembed runs an etcd member inside a Go program: a store for locks with no
// server beside the program, or one member of a cluster of such programs.
//
// What it guarantees:
//
//   - [Start] returns when the member serves: a linearizable read through its socket was
//     answered. A write that is answered is on disk.
//   - A failure that would make etcd end the process (a full disk under its log, damaged
//     data) ends the [Server]: [Server.Done] is closed and [Server.Err] says why.
//   - One process uses a data directory, and only the user it belongs to can read it.
//   - Sessions survive a restart of the member with its data, and the growth of a cluster:
//     a member joins as a learner, which has no vote until it is in sync.
//   - [Restore] never sets revisions back, so fencing tokens go on increasing.
//
// What it does not:
//
//   - One member is as available as its machine. Three go on when one is gone.
//   - A run-time panic inside etcd, other than those that it logs as such, still ends the
//     process.
//   - A restored store has forgotten what was written after the backup, so it may grant a
//     lock whose holder does not know yet. Start it when the longest TTL in use has
//     passed since the old one stopped. Until then the tokens tell the two apart.
//
// Clients reach the member over its socket ([Server.Client], [Server.Endpoints]), also
// those of the same process. etcd's in-process client hung for good when many waits
// were cancelled at once.
package etcdembed
