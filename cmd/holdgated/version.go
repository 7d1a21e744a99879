package main

import (
	"runtime/debug"

	etcd "go.etcd.io/etcd/api/v3/version"
)

// version is what the compiler noted, and the etcd inside.
func version() string {
	own := "unknown"
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		own = info.Main.Version
	}
	return own + " (etcd " + etcd.Version + ")"
}
