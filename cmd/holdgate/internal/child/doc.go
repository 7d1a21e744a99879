// Package child starts one command and has hold of all that belongs to it.
//
// On Unix the command gets a process group of its own, so that it and what it
// starts can be told to end together, and none of them is forgotten when it ends. The
// standard streams are inherited as they are. When the terminal was ours it is the
// command's, as if a shell had started it, and ours again afterwards.
//
// What leaves the group on purpose (setsid) is not followed. On Linux the command is
// killed when this process is, whatever the reason; other systems have no such means.
// Windows has neither groups nor signals: there only the command itself is ended,
// and at once.
package child
