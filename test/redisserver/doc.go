// Package redisserver starts real Redis servers for tests, on free ports of the loopback
// interface, which are killed, stopped and restarted at will.
//
// It needs the program redis-server (Debian: redis-server). Without it tests are skipped
// or, with HOLDGATE_REQUIRE_STORES=1, fail.
package redisserver
