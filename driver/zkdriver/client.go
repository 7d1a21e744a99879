package zkdriver

import "github.com/go-zookeeper/zk"

// client is what the driver needs of a ZooKeeper client. Its calls take no context, block
// until they are answered or the connection has ended, and are carried out in the order
// in which they were made.
type client interface {
	AddAuth(scheme string, auth []byte) error
	Children(path string) ([]string, *zk.Stat, error)
	ChildrenW(path string) ([]string, *zk.Stat, <-chan zk.Event, error)
	Create(path string, data []byte, flags int32, acl []zk.ACL) (string, error)
	CreateContainer(path string, data []byte, flags int32, acl []zk.ACL) (string, error)
	Delete(path string, version int32) error
	Exists(path string) (bool, *zk.Stat, error)
	Get(path string) ([]byte, *zk.Stat, error)
	GetW(path string) ([]byte, *zk.Stat, <-chan zk.Event, error)
	Multi(ops ...any) ([]zk.MultiResponse, error)
	Set(path string, data []byte, version int32) (*zk.Stat, error)
	SessionID() int64
	Sync(path string) (string, error)
	Close()
}

var _ client = (*zk.Conn)(nil)

// Shorthand for what a multi is built from. A version of -1 is any.

func set(path string, data []byte, version int32) any {
	return &zk.SetDataRequest{Path: path, Data: data, Version: version}
}

func remove(path string) any {
	return &zk.DeleteRequest{Path: path, Version: anyVersion}
}

func check(path string, version int32) any {
	return &zk.CheckVersionRequest{Path: path, Version: version}
}

func (c *conn) create(path string, data []byte, flags int32) any {
	return &zk.CreateRequest{Path: path, Data: data, Acl: c.d.acl(), Flags: flags}
}

const anyVersion = -1
