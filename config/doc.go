// Package config keeps small settings in the store that the locks are in: read once and
// kept fresh, changed by a version, watched without polling.
//
// A [Config] is the plain map: Get, Put, Delete, List, Watch. A [Value] is one setting of a Go
// type that follows its key: a bad value that somebody writes is reported, and the last
// good one stays.
//
// What is kept lasts as long as the store keeps it, and as durably: on etcd and ZooKeeper with
// a quorum's disks, on files and memory with theirs, on Redis as its persistence and
// replication are configured (docs/guarantees.md). It is no database: a value has at most 256
// KiB, and whoever watches a prefix has all of it in memory.
//
// All types are safe for concurrent use.
package config
