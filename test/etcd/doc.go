// Package etcd tests the etcd driver on real servers: that it conforms to the contract,
// the facts about etcd that it is built on, and that it and other software respect each
// other's locks.
package etcd
