// Package keeper lets a lock outlive the program that acquired it: a process in the
// background keeps it, until it is told to release it or the process that it is kept
// for ends.
//
// There are three parties. The front is the program that somebody called; it starts
// the keeper and relays what that reports, until the lock is held or it has failed. The
// keeper holds the lock, and listens at a socket whose path is the handle. The
// owner is a third process, usually the shell that called the front; the keeper
// watches it, safe from numbers of processes being used again. One that ends because the
// owner did leaves word of that, for who comes with the handle.
//
// Sockets lie in a directory that only the user may enter.
package keeper
