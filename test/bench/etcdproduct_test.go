package main

// The products on etcd, by name.
const (
	holdgateClient = "etcd/holdgate"
	holdgateStrict = "etcd/holdgate-strict"
	holdgateAsync  = "etcd/holdgate-strict-as-in-Do"
	holdgateRW     = "etcd/holdgate-RWMutex"
	holdgateDriver = "etcd/driver"
	peerMutex      = "etcd/concurrency"
	peerFronted    = "etcd/concurrency-behind-sync"
	rawTxns        = "etcd/two-transactions"
	tokenRing      = "etcd/ring"
)

func etcdProducts() map[string]open {
	return map[string]open{
		holdgateClient: openClient,
		holdgateStrict: openStrictClient,
		holdgateAsync:  openAsyncClient,
		holdgateRW:     openRWClient,
		holdgateDriver: openDriver,
		peerMutex:      openPeer,
		peerFronted:    openFrontedPeer,
		rawTxns:        openRaw,
		tokenRing:      openRing,
	}
}
