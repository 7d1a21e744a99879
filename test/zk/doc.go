// Package zk tests the ZooKeeper driver on real servers: that it conforms to the contract,
// the facts about ZooKeeper and its client that it is built on, and what becomes of holds
// when servers fail.
package zk
