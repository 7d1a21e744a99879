package etcdstore_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/etcdstore"
)

// read takes a URL apart: package store gives the hosts as they are written.
func read(t *testing.T, text string, env map[string]string) (*etcdstore.Config, error) {
	t.Helper()
	parts := regexp.MustCompile(`^(\w+://(?:.*@)?)([^/?#]*)(.*)$`).FindStringSubmatch(text)
	u, err := url.Parse(parts[1] + parts[3])
	if err != nil {
		t.Fatal(err)
	}
	return etcdstore.Read(u, parts[2], func(name string) string { return env[name] })
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		url  string
		env  map[string]string
		want string // what is shown
	}{
		"one host":           {"etcd://h", nil, "etcd://h:2379"},
		"port":               {"etcd://h:1/", nil, "etcd://h:1"},
		"several":            {"etcd://h1,h2:2380,10.0.0.1", nil, "etcd://h1:2379,h2:2380,10.0.0.1:2379"},
		"IPv6":               {"etcd://[::1]:2380/a/b", nil, "etcd://[::1]:2380/a/b"},
		"prefix":             {"etcd://h/team%20a", nil, "etcd://h:2379/team%20a"},
		"verbatim":           {"etcd://h/?verbatim=true", nil, "etcd://h:2379/?verbatim=true"},
		"verbatim, prefix":   {"etcd://h/locks/?verbatim=true", nil, "etcd://h:2379/locks/?verbatim=true"},
		"verbatim, no path":  {"etcd://h?verbatim=true", nil, "etcd://h:2379?verbatim=true"},
		"not verbatim":       {"etcd://h?verbatim=false", nil, "etcd://h:2379"},
		"single":             {"etcd://h?layout=single", nil, "etcd://h:2379?layout=single"},
		"single, prefix":     {"etcd://h/locks/?layout=single", nil, "etcd://h:2379/locks/?layout=single"},
		"queue":              {"etcd://h?layout=queue", nil, "etcd://h:2379?layout=queue"},
		"user":               {"etcd://me:secret@h", nil, "etcd://h:2379"},
		"password elsewhere": {"etcd://me@h", map[string]string{"HOLDGATE_STORE_PASSWORD": "secret"}, "etcd://h:2379"},
		"TLS":                {"etcds://h", nil, "etcds://h:2379"},
		"authority": {
			"etcds://h?ca=/ca.pem&cert=/cert.pem&key=/key.pem&server-name=locks", nil,
			"etcds://h:2379?ca=%2Fca.pem&server-name=locks",
		},
		"authority elsewhere": {
			"etcds://h",
			map[string]string{"HOLDGATE_STORE_CA": "/ca.pem", "HOLDGATE_STORE_CERT": "/cert", "HOLDGATE_STORE_KEY": "/key", "HOLDGATE_STORE_SERVER_NAME": "locks"},
			"etcds://h:2379?ca=%2Fca.pem&server-name=locks",
		},
		"URL before environment": {"etcds://h?ca=/here.pem", map[string]string{"HOLDGATE_STORE_CA": "/there.pem"}, "etcds://h:2379?ca=%2Fhere.pem"},
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
		"no host":            {"etcd:///a", nil, "it has no host"},
		"empty host":         {"etcd://h1,,h2", nil, "a host is empty"},
		"port only":          {"etcd://:2379", nil, "a host is empty"},
		"strange host":       {"etcd://h%20x", nil, `a host is a name or an address, "h%20x" is neither`},
		"port 0":             {"etcd://h:0", nil, `a port is 1 to 65535, not "0"`},
		"port large":         {"etcd://h:65536", nil, `a port is 1 to 65535, not "65536"`},
		"port empty":         {"etcd://h:", nil, `a port is 1 to 65535, not ""`},
		"IPv6 bare":          {"etcd://::1:2379", nil, "an IPv6 address is written in brackets"},
		"fragment":           {"etcd://h/a#b", nil, "it has no fragment"},
		"slash":              {"etcd://h/a/", nil, `a prefix does not end in a slash, "/a/" does`},
		"NUL":                {"etcd://h/a%00", nil, "a prefix is UTF-8 without NUL"},
		"not UTF-8":          {"etcd://h/%ff", nil, "a prefix is UTF-8 without NUL"},
		"unknown option":     {"etcd://h?password=secret", nil, `unknown option "password"; there are ca, cert, key, server-name, layout, verbatim`},
		"option twice":       {"etcds://h?ca=/a&ca=/b", nil, "option ca is given 2 times"},
		"option empty":       {"etcds://h?ca=", nil, "option ca is empty"},
		"option broken":      {"etcd://h?%zz=secret", nil, "its options cannot be read"},
		"verbatim word":      {"etcd://h?verbatim=secret", nil, "option verbatim is true or false"},
		"layout":             {"etcd://h?layout=secret", nil, "option layout is queue or single"},
		"TLS without":        {"etcd://h?ca=/a", nil, "option ca is for TLS: write etcds://"},
		"TLS without, env":   {"etcd://h", map[string]string{"HOLDGATE_STORE_CERT": "/a"}, "$HOLDGATE_STORE_CERT is for TLS: write etcds://"},
		"relative":           {"etcds://h?ca=ca.pem", nil, "option ca is a file by its absolute path"},
		"relative, env":      {"etcds://h", map[string]string{"HOLDGATE_STORE_KEY": "k"}, "$HOLDGATE_STORE_KEY is a file by its absolute path"},
		"certificate alone":  {"etcds://h?cert=/a", nil, "options cert and key go together"},
		"key alone":          {"etcds://h?key=/a", nil, "options cert and key go together"},
		"password of nobody": {"etcd://h", map[string]string{"HOLDGATE_STORE_PASSWORD": "secret"}, "no user: etcd://USER@HOST"},
		"nobody's password":  {"etcd://:secret@h", nil, "no user: etcd://USER@HOST"},
		"no password":        {"etcd://me@h", nil, "no password: put it into $HOLDGATE_STORE_PASSWORD"},
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
