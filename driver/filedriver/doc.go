// Package filedriver keeps the lines of one machine in a directory. It needs no
// server: every process that opens the directory takes part.
//
// # What it guarantees
//
//   - Two processes of one machine never hold the same line beyond its capacity, in
//     whatever way they end. A process that is killed gives everything back at once:
//     the kernel drops the lock of its session's file. A directory is right after kill
//     -9 at any instruction; what is left over, the next process removes.
//   - Nothing expires by time. Session.TTL is 0, and no clock is read to judge anybody: a
//     process that is stopped (SIGSTOP, a suspended machine) keeps its places.
//   - First come, first served, in the order in which processes entered the line.
//   - Orders increase along a line and over its whole life. Where the directory was lost,
//     they go on from the clock of the machine, in microseconds.
//   - Releasing takes no lock, and neither does waiting. A process that is stopped in the
//     middle of entering holds up newcomers to its line, and to the lines that share its
//     lock file; their calls end by their contexts, with an error that names the process.
//   - A session that was handed to a child process (Session.Inherit) lives until the child
//     has ended too.
//   - Waiting costs no polling. A release pokes whom it lets through; where several hold at
//     once, also the first of those who still wait. The end of a process is told by a
//     pidfd. Nothing tells of files that an operator removes by hand: whoever waits glances
//     at those that matter after 5 s, 35 s, 4 min, and then every 5 min, and in Renew.
//
// # What it does not
//
//   - It excludes on one machine. A directory on a network file system or in FUSE is
//     refused, where the operating system says that it is one; a disk that two machines
//     mount at once is not seen, and must not be used.
//   - Containers exclude each other when they share the directory, also from different PID
//     namespaces. Who waits for a holder in another PID namespace learns of its death by
//     looking, up to a second later. The same goes for children that inherited a session,
//     and for macOS and other systems without pidfd.
//   - All who may write to the directory are trusted. Each of them can remove any place, and
//     stop newcomers by locking a lock file. Who may only read it can list the lines, and
//     keep a dead session from being cleaned up for as long as he locks its file.
//   - A session's file that is removed by hand is the end of the session: its places are
//     free at once, while its owner learns of it at its next Renew. Until then two may
//     believe that they hold, as after an eviction by force.
//   - A machine that crashes frees everything. Nothing is flushed to the disk, as no lock
//     outlives the kernel that kept it. Should the counter of a line be lost in the crash,
//     its orders still grow, unless the clock was also set back.
//   - Calls return when their context ends as long as the file system answers. A disk that
//     hangs hangs them.
//   - On Windows, Open answers driver.ErrUnsupported.
//
// # Users
//
// The mode of the directory says who takes part, and everything inside is made with it,
// whatever the umask of a process takes from others. By default that is its owner alone. To
// share it, make it group-writable with setgid ([Shared]), so that what is made inside
// belongs to the group: chgrp team DIR; chmod 2770 DIR. The sticky bit is refused, since it
// keeps one user from removing what the killed process of another one left behind. What root
// makes in a directory of somebody else belongs to its owner.
//
// # How it lies on disk
//
//	VERSION                  of this layout
//	locks/NN                 64 lock files, each with the last order that was given under it
//	sessions/<session>       who it is, as JSON; locked while the session lives
//	sessions/<session>.wake  a pipe: the IDs of places that may be granted now are written to it
//	lines/<line>/            a line, with its name escaped
//	    <order>-<id>-<session>-<kind>-<capacity>-<units>   a place: one more name of the session's file
//	    <order>-<id>.data    its version and data, once there are any
//	    <order>-<id>.wait    somebody sleeps until it is granted
//	    <order>-<id>.mark    it was asked to go
//	    <order>-<id>.to-<n>  its units were lowered to n
//	stage/                   files that are being written
//
// The names of the files decide all grants, so that a line is judged by reading one
// directory. All changes are made by creating, linking, renaming and removing names. Files
// that begin with a dot are passed over. Any other file in the directory of a line is
// a place of other software: it takes the whole line from where it was written on, until
// somebody removes it.
package filedriver
