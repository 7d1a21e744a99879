package zkstore_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/zkstore"
)

// read takes a URL apart: package store gives the hosts as they are written.
func read(t *testing.T, text string, env map[string]string) (*zkstore.Config, error) {
	t.Helper()
	parts := regexp.MustCompile(`^(\w+://(?:.*@)?)([^/?#]*)(.*)$`).FindStringSubmatch(text)
	u, err := url.Parse(parts[1] + parts[3])
	if err != nil {
		t.Fatal(err)
	}
	return zkstore.Read(u, parts[2], func(name string) string { return env[name] })
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		url  string
		env  map[string]string
		want string // what is shown
	}{
		"one host":           {"zk://h", nil, "zk://h:2181"},
		"several":            {"zk://h1,h2:1,[::1]:2", nil, "zk://h1:2181,h2:1,[::1]:2"},
		"a slash":            {"zk://h/", nil, "zk://h:2181"},
		"prefix":             {"zk://h/chroot/locks", nil, "zk://h:2181/chroot/locks"},
		"tick":               {"zk://h?tick=500ms", nil, "zk://h:2181?tick=500ms"},
		"layout":             {"zk://h/locks?layout=single", nil, "zk://h:2181/locks?layout=single"},
		"verbatim":           {"zk://h?verbatim=true", nil, "zk://h:2181?verbatim=true"},
		"verbatim, prefix":   {"zk://h/locks/?verbatim=true&layout=single", nil, "zk://h:2181/locks/?layout=single&verbatim=true"},
		"verbatim, root":     {"zk://h/?verbatim=true", nil, "zk://h:2181/?verbatim=true"},
		"user":               {"zk://me:secret@h", nil, "zk://h:2181"},
		"password elsewhere": {"zk://me@h", map[string]string{"HOLDGATE_STORE_PASSWORD": "secret"}, "zk://h:2181"},
		"TLS":                {"zks://h?ca=/ca.pem&cert=/c&key=/k&server-name=locks", nil, "zks://h:2181?ca=%2Fca.pem&server-name=locks"},
		"TLS, elsewhere":     {"zks://h", map[string]string{"HOLDGATE_STORE_CA": "/ca.pem"}, "zks://h:2181?ca=%2Fca.pem"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c, err := read(t, tc.url, tc.env)
			if err != nil {
				t.Fatal(err)
			}
			if got := c.String(); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
			}
		})
	}
}

func TestReadRefuses(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		url  string
		env  map[string]string
		want string
	}{
		"no host":         {"zk:///locks", nil, "it has no host"},
		"fragment":        {"zk://h#secret", nil, "it has no fragment"},
		"prefix":          {"zk://h/locks/", nil, "Options.Prefix"},
		"tick":            {"zk://h?tick=2000", nil, "option tick is the servers' tickTime"},
		"layout":          {"zk://h?layout=tree", nil, "option layout is queue or single"},
		"verbatim word":   {"zk://h?verbatim=secret", nil, "option verbatim is true or false"},
		"unknown option":  {"zk://h?password=secret", nil, `unknown option "password"; there are ca, cert, key, server-name, layout, tick, verbatim`},
		"no TLS":          {"zk://h?ca=/a", nil, "option ca is for TLS: write zks://"},
		"no password":     {"zk://me@h", nil, "no password: put it into $HOLDGATE_STORE_PASSWORD"},
		"no user":         {"zk://h", map[string]string{"HOLDGATE_STORE_PASSWORD": "secret"}, "and no user"},
		"colon in a user": {"zk://a%3Ab:secret@h", nil, "Options.Username"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := read(t, tc.url, tc.env)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Fatalf("got %v, want %q", err, tc.want)
			}
			if strings.Contains(err.Error(), "secret") {
				t.Errorf("it tells the password: %v", err)
			}
		})
	}
}
