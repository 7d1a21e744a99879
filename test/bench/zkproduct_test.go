package main

import (
	"testing"

	"github.com/holdgate/holdgate"
	"github.com/holdgate/holdgate/test/zkserver"
)

// The products on ZooKeeper, by name.
const (
	zkHoldgate   = "zookeeper/holdgate"
	zkStrict     = "zookeeper/holdgate-strict"
	zkAsync      = "zookeeper/holdgate-strict-as-in-Do"
	zkDo         = "zookeeper/holdgate-Do" // it has no locker
	zkOnlyDriver = "zookeeper/driver"
	zkLock       = "zookeeper/go-zookeeper"
	zkTwoWrites  = "zookeeper/two-writes"
	zkTokenRing  = "zookeeper/ring"
)

func zkProducts() map[string]open {
	return map[string]open{
		zkHoldgate:   openZKClient(holdgate.Handoff{}),
		zkStrict:     openZKClient(holdgate.Handoff{Strict: true}),
		zkAsync:      openZKAsync,
		zkOnlyDriver: openZKDriver,
		zkLock:       openZKPeer,
		zkTwoWrites:  openZKRaw,
		zkTokenRing:  openZKRing,
	}
}

// startZK starts a server with the settings that ZooKeeper comes with: it syncs its disk, and
// runs in the Java that it would. Options are added.
func startZK(b *testing.B, options ...string) *zkserver.Server {
	b.Helper()
	defaults := []string{"-Dzookeeper.forceSync=yes", "-XX:TieredStopAtLevel=4"}
	return zkserver.Start(b, 1, zkserver.Config{Options: append(defaults, options...)}).Servers[0]
}
