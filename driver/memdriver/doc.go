// Package memdriver keeps locks in memory. It is the reference for every other
// driver, and what programs test with: a lock of package holdgate works on it as it
// does on a real store, in microseconds, and every fault can be made to happen.
//
// # What it guarantees
//
// It is linearizable: every operation is one step that has the store to itself, and
// sessions whose time has come end before a step looks at anything. A session
// lives for exactly its TTL after its Open or last Renew (ExpirySlack is 0), and whoever
// is next is woken at that moment. Orders grow along every line for the life of the
// [Store]. A name that nobody stands in any more costs nothing.
//
// # What it does not
//
// The store is a Go value. It excludes handles on that value, not processes of a
// machine, and is gone with the program. Its clock is time.Now, so a real suspend
// stops the store and its callers alike.
//
// # Testing a program with it
//
// [New] gives a handle on a store of its own. Where two processes shall meet, make
// the store with [NewStore] and a handle for each with [Store.Connect].
//
// All of it works in a testing/synctest bubble, where a TTL passes at once. Make the
// store inside the bubble, since what waits on channels from outside stops its
// time. When the clients and the handles are closed nothing is left: no goroutine,
// and no timer but for sessions that were abandoned and keys with a TTL.
//
//	synctest.Test(t, func(t *testing.T) {
//		store := memdriver.NewStore()
//		worker := newWorker(store.Connect(nil))
//		...
//		store.ExpireSession(store.Sessions()[0]) // what does the worker do now?
//		synctest.Wait()
//		...
//	})
//
// # Faults
//
// Each handle has its own:
//
//   - [Options.Faults] decides call by call what is delayed, lost, refused, reordered
//     or woken too early; see [Fault].
//   - [Driver.SetLink] cuts the handle off, silently or with errors, and
//     reconnects it.
//   - [Options.Clock] stops the whole process, as SIGSTOP does, and lets its clock run
//     fast, slow or behind; see [SkewClock].
//   - [Options.RenewLag] lets the store learn late of renewals that it has answered.
//   - [Driver.Close] kills the process.
//
// Behind everybody's back the store itself ends a session ([Store.ExpireSession]),
// deletes a place ([Store.RemovePlace]) or gets one from other software
// ([Store.PutForeign]).
//
// A request that is under way cannot be called back. It lands even if its caller has
// given up or its handle was closed, as a packet does. A Leave that overtakes the Enter
// of the same place voids it, unless [Fault.Stray] says otherwise.
package memdriver
