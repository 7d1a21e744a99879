// Package witness has what all witnesses have in common. A witness writes down a store's own
// history: when places came to stand in their lines, and when they went. It reads what the
// store keeps of that by itself, and shares no code with the driver that wrote it:
//
//   - etcdlog follows the changes of etcd, as its members tell them,
//   - zklog reads the transaction logs of ZooKeeper's servers when all is over,
//   - redislog the append-only file of Redis.
//
// # Time
//
// Each has all changes, in their order: that of positions, which grow. The moment of a
// position has two bounds, and the witness makes marks all the time to know them. A mark is a
// request that tells a position: of a write, its own; of a linearizable read, what it saw.
// Whatever has a larger position came about after the mark was sent, whatever has no larger
// one before it was answered.
package witness
