// Package interop proves that Holdgate and other software exclude each other, on real
// servers, with locks that many programs have already: those of etcdctl, etcd's lock
// service and Go's concurrency.Mutex; Curator, Kazoo and go-zookeeper; redsync, redislock
// and redis-py; npm's etcd3 and the bare ephemeral node.
//
// Each runs as a process of its own that takes orders, from testdata or from this test
// binary. It holds us out and is held out by us; then both count in one file, each step of
// which two holders at once would spoil. The same without the lock spoils it: if it did
// not, the count would prove nothing.
//
// What a process needs beside Go is named by scripts/setup. Where it is missing its test is
// skipped or, with HOLDGATE_REQUIRE_STORES=1, fails.
package interop
