// Package etcdserver starts real etcd servers for tests: one member or several, on free
// ports of the loopback interface, which are killed, stopped and restarted at will. A
// [Link] breaks the connection of one client.
//
// The server is built when it is first needed, from the version that the module
// test/etcdbin pins, and kept in bin/ at the top of the repository. That takes some
// minutes, once. Tests that only need a server call [Start]; without a Go command that
// can build it they are skipped or, with HOLDGATE_REQUIRE_STORES=1, fail.
package etcdserver
