// Package locks opens the store of the locks that an example was given: etcd, or a directory to
// try it on one machine.
package locks

import (
	"errors"
	"flag"
	"strings"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/driver/filedriver"
)

// Flags say where the locks are.
type Flags struct {
	etcd, dir string
}

// Register adds the flags to those of the program.
func (f *Flags) Register() {
	flag.StringVar(&f.etcd, "etcd", "", "addresses of the etcd with the locks, separated by commas")
	flag.StringVar(&f.dir, "dir", "", "directory with the locks, in place of etcd, for one machine")
}

// Open opens the store. closeAll closes it, after the client.
func (f *Flags) Open() (drv driver.Driver, closeAll func(), err error) {
	switch {
	case f.dir != "":
		files, err := filedriver.Open(f.dir, nil)
		if err != nil {
			return nil, nil, err
		}
		return files, func() { _ = files.Close() }, nil
	case f.etcd != "":
		return openEtcd(strings.Split(f.etcd, ","))
	}
	return nil, nil, errors.New("name the store of the locks: -etcd or -dir")
}

func openEtcd(endpoints []string) (drv driver.Driver, closeAll func(), err error) {
	client, err := clientv3.New(clientv3.Config{Endpoints: endpoints})
	if err != nil {
		return nil, nil, err
	}
	etcd, err := etcddriver.New(client, nil)
	if err != nil {
		_ = client.Close()
		return nil, nil, err
	}
	return etcd, func() { _, _ = etcd.Close(), client.Close() }, nil
}
