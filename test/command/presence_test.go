package command_test

import (
	"encoding/json"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"

	"github.com/holdgate/holdgate/test/etcdserver"
	"github.com/holdgate/holdgate/test/redisserver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// On each store that has servers, others find a command while it runs, and not when it has ended,
// was killed, or was replaced by one with its ID.
func TestRegister(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(*testing.T) string{
		"etcd":  func(t *testing.T) string { return url(etcdserver.Start(t, 1)) },
		"Redis": func(t *testing.T) string { return "redis://" + redisserver.Start(t, redisserver.Options{}).Address() },
		"ZooKeeper": func(t *testing.T) string {
			return "zk://" + zkserver.Start(t, 1, zkserver.Config{}).Addresses()[0] + "?" + tick
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, store(t))
			p.run(1, "lookup", "orders")
			watch := p.start("lookup", "orders", "--watch")
			watch.wantLine("")
			first := p.registered("10.0.0.7:9000", "20s")
			watch.wantLine("10.0.0.7:9000")
			second := p.registered("10.0.0.7:9000", "20s")
			first.wantCode(79)
			_ = second.stdin.Close()
			second.wantCode(0)
			watch.wantLine("")
			killed := p.registered("10.0.0.8:9000", "6s")
			watch.wantLine("10.0.0.8:9000")
			_ = killed.cmd.Process.Kill()
			watch.wantLine("") // a TTL later
			p.run(1, "lookup", "orders")
		})
	}
}

// registered starts a command that is registered, and waits until it runs.
func (p *place) registered(addr, ttl string) *running {
	p.t.Helper()
	r := p.start("register", "orders", "--addr", addr, "--ttl", ttl, "--", "sh", "-c", "echo runs; exec cat")
	r.wantLine("runs")
	return r
}

// A session that is lost harms nobody: the command runs on, and is found again.
func TestRegisterHeals(t *testing.T) {
	t.Parallel()
	c := etcdserver.Start(t, 1)
	p := at(t, url(c))
	r := p.registered("10.0.0.7:9000", "20s")
	before := p.since()
	client, err := clientv3.New(clientv3.Config{Endpoints: c.Endpoints()})
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	leases, err := client.Leases(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, lease := range leases.Leases {
		if _, err = client.Revoke(t.Context(), lease.ID); err != nil {
			t.Fatal(err)
		}
	}
	for begun := time.Now(); !p.since().After(before); {
		if time.Since(begun) > soon {
			t.Fatal("it is not registered again")
		}
	}
	r.echoes("still here")
	_ = r.stdin.Close()
	r.wantCode(0)
	p.run(1, "lookup", "orders")
}

// since waits until there is an instance, and returns since when it is registered.
func (p *place) since() time.Time {
	p.t.Helper()
	stdout, _ := p.run(0, "lookup", "orders", "--wait", "60s", "--json")
	var service struct {
		Instances []struct{ Registered time.Time }
	}
	if err := json.Unmarshal([]byte(stdout), &service); err != nil || len(service.Instances) != 1 {
		p.t.Fatalf("%v: %s", err, stdout)
	}
	return service.Instances[0].Registered
}
