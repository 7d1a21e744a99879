package interop_test

import (
	"os/exec"
	"testing"

	"github.com/holdgate/holdgate/driver"
	"github.com/holdgate/holdgate/driver/etcddriver"
	"github.com/holdgate/holdgate/test/etcdserver"
)

func TestEtcd(t *testing.T) {
	t.Parallel()
	cluster := etcdserver.Start(t, 1)
	endpoint := cluster.Members[0].Endpoint()
	for name, other := range map[string]func(t *testing.T, lock string) *exec.Cmd{
		"etcdctl lock": func(t *testing.T, lock string) *exec.Cmd {
			return script(t, "etcdctl.sh", etcdserver.Ctl(t), endpoint, lock)
		},
		"lock service": func(t *testing.T, lock string) *exec.Cmd {
			need(t, "curl", "curl")
			return script(t, "gateway.sh", "http://"+endpoint, lock)
		},
		"concurrency.Mutex": func(t *testing.T, lock string) *exec.Cmd {
			return inGo(t, "concurrency", endpoint, lock)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			lock := "/locks/" + name
			pairing{other: other(t, lock), lock: lock, drv: etcd(t, cluster, etcddriver.Options{Verbatim: true})}.check(t)
		})
	}
	t.Run("npm etcd3", func(t *testing.T) {
		t.Parallel()
		pairing{
			other: inNode(t, "etcd3_lock.js", endpoint, "jobs"), lock: "jobs",
			drv: etcd(t, cluster, etcddriver.Options{Layout: driver.LayoutSingle}),
		}.check(t)
	})
}

func etcd(t *testing.T, cluster *etcdserver.Cluster, o etcddriver.Options) driver.Driver {
	t.Helper()
	d, err := etcddriver.New(cluster.Client(t), &o)
	if err != nil {
		t.Fatal(err)
	}
	return d
}
