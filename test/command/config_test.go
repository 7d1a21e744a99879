package command_test

import (
	"testing"

	"github.com/holdgate/holdgate/test/redisserver"
	"github.com/holdgate/holdgate/test/zkserver"
)

// Settings on the other stores that have servers; on etcd the whole script of the command runs.
func TestSettings(t *testing.T) {
	t.Parallel()
	for name, store := range map[string]func(*testing.T) string{
		"Redis": func(t *testing.T) string { return "redis://" + redisserver.Start(t, redisserver.Options{}).Address() },
		"ZooKeeper": func(t *testing.T) string {
			return "zk://" + zkserver.Start(t, 1, zkserver.Config{}).Addresses()[0] + "?" + tick
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, store(t))
			p.run(1, "config", "get", "limit")
			first := p.start("config", "put", "limit", "10")
			version := first.line()
			first.wantCode(0)
			watch := p.start("config", "watch", "limit")
			watch.wantLine("10")
			p.run(75, "config", "put", "limit", "11", "--if-version", "0")
			p.run(0, "config", "put", "limit", "11", "--if-version", version)
			watch.wantLine("11")
			p.run(75, "config", "delete", "limit", "--if-version", version)
			if stdout, _ := p.run(0, "config", "get", "limit"); stdout != "11" {
				t.Errorf("it is %q", stdout)
			}
			p.run(0, "config", "delete", "limit")
			p.run(0, "config", "put", "limit", "12", "--if-version", "0")
			watch.wantLine("12")
		})
	}
}

// wantLine waits for the next line that it prints.
func (r *running) wantLine(want string) {
	r.t.Helper()
	if got := r.line(); got != want {
		r.t.Errorf("%q prints %q, want %q", r.cmd.Args[1:], got, want)
	}
}
