// Package zkserver starts real ZooKeeper servers for tests, stand-alone or an ensemble, on
// free ports of the loopback interface, which are killed, stopped and restarted at will. A
// [Network] breaks the connections between them.
//
// It needs Java and Debian's package zookeeper, for its jars only: the packaged service is
// not used. Without them a test is skipped or, with HOLDGATE_REQUIRE_STORES=1, fails.
package zkserver
