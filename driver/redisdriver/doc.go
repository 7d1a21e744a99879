// Package redisdriver keeps locks in Redis 7 or newer: one server, Sentinel, or a cluster.
//
//	client := redis.NewClient(&redis.Options{Addr: "10.0.0.1:6379"})
//	drv, err := redisdriver.New(client, nil)
//
// Redis is the fast store, and the one that promises least: its Safety is best effort.
// Choose it where two holders at once cost work done twice, or where whatever the lock
// protects checks the fencing token. Choose etcd or ZooKeeper where neither holds.
//
// # What it guarantees
//
//   - While one primary keeps its data and its clock goes forward as time does, a lock has
//     one holder: every step is one script on that primary, which first removes what has
//     expired, by its own clock, unless nobody else stands in the line. No client's clock is
//     looked at.
//   - Places are granted in the order in which they came. Entering is one script, leaving is
//     one script, which grants the next place and tells its process; that one reads nothing.
//   - A token is the time in microseconds, or one more than the last: it increases also
//     after all data was lost, as long as the clock did not go back.
//   - A session that has ended never comes back, and a place that was left does not either,
//     whatever requests are still under way.
//   - Renewing is one script, whatever the number of places.
//   - A full memory refuses new places, and lets holders renew and leave.
//
// # What it does not guarantee
//
//   - A failover to a replica forgets what had not reached it: somebody's place, which another
//     is then granted, or that a lock was released. So does a restart without an append-only
//     file, or with one that is not synced always. The holder learns of it at its next
//     renewal. Until then two believe, and the token tells them apart.
//   - A clock that is set forward ends sessions early by as much; all holders are told at their
//     next renewal. One that is set back keeps the dead longer.
//   - Redis ends nothing by itself. Somebody who waits, watches, or does anything but take a
//     free lock and give it back has to come by: a process that waits comes when the next
//     deadline is due.
//   - While a slot of a cluster is being moved key by key, calls answer that the store is
//     unavailable; nothing is done by halves.
//
// A server that may evict keys (a maxmemory-policy other than noeviction) is refused when a
// session is opened.
//
// # Its keys
//
// All begin with the hash tag of Options.Prefix, so that one primary has them all; docs/adr
// and lua/keys.lua tell what each is. They belong together: to free a lock by hand use
// `holdgate evict --force`, and to end a session `ZADD {holdgate}:deadlines 1 s:<session>`.
//
// A user with rights to these keys and channels only, and to what the driver calls, is made by
//
//	ACL SETUSER locks on >password ~{holdgate}:* &{holdgate}:* +@read +@write +@scripting +@pubsub
//	    +@connection -@dangerous +time +wait +info +cluster
//
// The driver makes a client of its own from the options of the one it is given, without
// retries. Hooks of that client are not called.
package redisdriver
