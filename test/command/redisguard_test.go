package command_test

import (
	"crypto/x509"
	"net"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/test/redisserver"
)

// redisUser may do what the driver and the command need, see the documentation of
// redisdriver, and nothing else.
const redisUser = "locks on >secret ~{holdgate}:* &{holdgate}:* " +
	"+@read +@write +@scripting +@pubsub +@connection -@dangerous +time +wait +info +cluster"

// Sentinels and a cluster that speak TLS only, and want passwords: of the sentinels another one
// than of the servers, where the user may do only what it needs to.
func TestGuardedRedis(t *testing.T) {
	t.Parallel()
	ours := newAuthority(t)
	ours.sign("server", &x509.Certificate{IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}})
	ours.sign("client", &x509.Certificate{})
	guard := redisserver.Guard{
		Password: "master", SentinelPassword: "sesame", User: redisUser,
		CA: ours.file("ca.pem"), Cert: ours.file("server.pem"), Key: ours.file("server.key"),
	}
	files := "ca=" + ours.file("ca.pem") + "&cert=" + ours.file("client.pem") + "&key=" + ours.file("client.key")
	sentinels, cluster := redisserver.StartGuardedSentinels(t, guard), redisserver.StartGuardedCluster(t, 3, guard)
	watched := "rediss+sentinel://locks@" + strings.Join(sentinels.Addresses(), ",") + "/" + sentinels.Name + "?" + files
	sharded := "rediss+cluster://locks@" + cluster.Addresses()[0] + "?" + files
	const password, sesame = "HOLDGATE_STORE_PASSWORD=secret", "HOLDGATE_STORE_SENTINEL_PASSWORD=sesame"
	for name, tc := range map[string]struct {
		store     string
		env       []string
		code      int
		says      string
		endpoints int
	}{
		"sentinels":                   {watched, []string{password, sesame}, 0, "", 5},
		"sentinels, as a user":        {watched + "&sentinel-user=default", []string{password, sesame}, 0, "", 5},
		"sentinels, no password":      {watched, []string{password}, 69, "", 3},
		"sentinels, not the servers'": {watched, []string{"HOLDGATE_STORE_PASSWORD=wrong", sesame}, 69, "WRONGPASS", 5},
		"cluster":                     {sharded, []string{password}, 0, "", 3},
		"cluster, wrong password":     {sharded, []string{"HOLDGATE_STORE_PASSWORD=wrong"}, 69, "WRONGPASS", 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := at(t, tc.store, tc.env...)
			stdout, stderr := p.run(tc.code, "run", "x", "--ttl", "30s", "--wait", "20s", "--", "env")
			if !strings.Contains(stderr, tc.says) {
				t.Errorf("it says %q, want %q", stderr, tc.says)
			}
			if tc.code == 0 && !strings.Contains(stdout, "HOLDGATE_FENCING_TOKEN=") {
				t.Errorf("the command was told %q", stdout)
			}
			for _, secret := range []string{"secret", "sesame", "client.key"} {
				if strings.Contains(stdout+stderr, secret) {
					t.Errorf("it tells %q:\n%s%s", secret, stdout, stderr)
				}
			}
			s := p.status(tc.code)
			if len(s.Endpoints) != tc.endpoints {
				t.Errorf("got %+v, want %d of them", s.Endpoints, tc.endpoints)
			}
			for _, e := range s.Endpoints {
				if tc.code == 0 && !e.Healthy {
					t.Errorf("got %+v", e)
				}
			}
		})
	}
}
