// Package supervise lets a command run for as long as its lock may be believed, and
// no longer.
//
// The command is asked to end (SIGTERM) early enough that a grace period fits before
// the trust in the hold ends, and is killed when it ends: between that moment and the
// first at which the store can give the lock to another lies the guard of the
// library (at least 100 ms), which is the kernel's time to end it. Renewals that
// succeed move both moments.
//
// What the command leaves in its group is ended too, before the lock is given back.
package supervise
