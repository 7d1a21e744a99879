module github.com/holdgate/holdgate/driver/zkdriver

go 1.26.0

require (
	github.com/go-zookeeper/zk v1.0.4
	github.com/holdgate/holdgate v0.0.0
)
