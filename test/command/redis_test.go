package command_test

import (
	"crypto/x509"
	"net"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/test/redisserver"
)

// On each kind of Redis a command runs under its lock, is told of its store without what
// lets in, and the lock is there while it runs.
func TestRedis(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	ours.sign("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	ours.sign("client", &x509.Certificate{})
	plain := redisserver.Start(t, redisserver.Options{})
	locked := redisserver.Start(t, redisserver.Options{Config: []string{"--requirepass", "secret"}})
	secure := redisserver.Start(t, redisserver.Options{TLS: true, Config: []string{
		"--tls-cert-file", ours.file("server.pem"), "--tls-key-file", ours.file("server.key"), "--tls-ca-cert-file", ours.file("ca.pem"),
	}})
	files := "ca=" + ours.file("ca.pem") + "&cert=" + ours.file("client.pem") + "&key=" + ours.file("client.key")
	sentinels, cluster := redisserver.StartSentinels(t), redisserver.StartCluster(t, 3)
	for name, tc := range map[string]struct {
		store string
		env   []string
		code  int
		says  string
	}{
		"one server":                  {"redis://" + plain.Address() + "/2?prefix=team", nil, 0, ""},
		"a password":                  {"redis://:secret@" + locked.Address(), nil, 0, ""},
		"a password, the environment": {"redis://" + locked.Address(), []string{"HOLDGATE_STORE_PASSWORD=secret"}, 0, ""},
		"no password":                 {"redis://" + locked.Address(), nil, 69, "NOAUTH"},
		"TLS":                         {"rediss://" + secure.Address() + "?" + files, nil, 0, ""},
		"unknown authority":           {"rediss://" + secure.Address(), nil, 69, "unknown authority"},
		"sentinels":                   {"redis+sentinel://" + strings.Join(sentinels.Addresses(), ",") + "/" + sentinels.Name, nil, 0, ""},
		"cluster":                     {"redis+cluster://" + strings.Join(cluster.Addresses(), ","), nil, 0, ""},
		"nobody":                      {"redis://127.0.0.1:1", nil, 69, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, tc.store, tc.env...)
			stdout, stderr := p.run(tc.code, "run", "x", "--ttl", "8s", "--wait", "4s", "--", "printenv", "HOLDGATE_STORE", "HOLDGATE_FENCING_TOKEN")
			if !strings.Contains(stderr, tc.says) || strings.Count(stderr, "\n") > 1 {
				t.Errorf("it says %q, want one line with %q", stderr, tc.says)
			}
			if (tc.code == 0) != strings.HasPrefix(stdout, "redis") || strings.Contains(stdout, "secret") || strings.Contains(stdout, "client.") {
				t.Errorf("the command was told %q", stdout)
			}
			if tc.code != 0 {
				return
			}
			holder := p.start("run", "x", "--", "sh", "-c", "echo runs; cat")
			if line := holder.line(); line != "runs" {
				t.Fatalf("the command says %q", line)
			}
			if stdout, _ := p.run(0, "who", "x"); !strings.Contains(stdout, "tester") {
				t.Errorf("who says %q", stdout)
			}
			p.run(75, "run", "-n", "x", "--", "true")
			_ = holder.stdin.Close()
			<-holder.exited
		})
	}
}
