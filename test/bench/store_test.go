package main

import (
	"testing"

	"github.com/holdgate/holdgate/test/etcdserver"
	"github.com/holdgate/holdgate/test/redisserver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// store is a server, and its own word of what it has done.
type store struct {
	endpoint string
	pid      int
	served   func() map[string]float64 // by the unit of its measure
}

func startEtcd(b *testing.B) store {
	b.Helper()
	return etcdStore(b, etcdserver.Start(b, 1).Members[0])
}

func etcdStore(b *testing.B, member *etcdserver.Member) store {
	b.Helper()
	return store{member.Endpoint(), member.PID(), func() map[string]float64 {
		served := member.Served(b)
		return map[string]float64{"commits": served.Commits(), "reads": served.Reads()}
	}}
}

func startRedis(b *testing.B) store {
	b.Helper()
	return redisStore(redisserver.Start(b, redisserver.Options{}))
}

func redisStore(server *redisserver.Server) store {
	return store{server.Address(), server.PID(), func() map[string]float64 {
		return map[string]float64{"requests": server.Requests(), "changes": server.Changes()}
	}}
}

// startZKStore is startZK, for those that need no more of it.
func startZKStore(b *testing.B) store {
	b.Helper()
	return zkStore(b, startZK(b))
}

func zkStore(b *testing.B, server *zkserver.Server) store {
	b.Helper()
	return store{server.Address(), server.PID(), func() map[string]float64 {
		served := server.Served(b)
		return map[string]float64{"commits": served.Writes, "reads": served.Reads, "syncs": served.Syncs}
	}}
}
