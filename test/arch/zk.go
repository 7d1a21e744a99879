package arch

// zkClient is ZooKeeper's client, which brings nothing along.
func zkClient() []string { return []string{"github.com/go-zookeeper/zk/..."} }
