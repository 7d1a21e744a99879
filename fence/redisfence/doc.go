// Package redisfence refuses writes to Redis of a holder that lost its lock: the check and
// the write are one atomic step of the server, as a script or as a transaction.
//
//	fences, err := redisfence.New(rdb, nil)
//	pass, err := fence.Of(hold)
//	cmds, err := fences.TxPipelined(ctx, pass, func(pipe redis.Pipeliner) error {
//		pipe.HSet(ctx, "order:42", "state", "paid")
//		return nil
//	}) // *fence.StaleError for an older holder: nothing was written
//
// The largest token of each name is kept under a key of its own, as decimal text: it exceeds
// what Lua counts exactly.
//
// # What it guarantees
//
// No write of an older token is carried out after one of a newer token, on one server and
// as long as that one keeps its data.
//
// # What it does not
//
//   - A failover may lose the last writes, and with them the newest token: but then the
//     data that was written with it is lost too, since both were written in one step.
//   - A policy that evicts keys may evict the tokens. Use noeviction.
//   - In a cluster the key of the token and those of the data have to be in one slot: see
//     Options.Key.
//   - Keys are never removed: one for each name. One may be deleted when no holder of that
//     name, paused or not, can be left.
package redisfence
