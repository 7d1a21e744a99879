package redisstore_test

import (
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/redisstore"
)

// read takes a URL apart: package store gives the hosts as they are written.
func read(t *testing.T, text string, env map[string]string) (*redisstore.Config, error) {
	t.Helper()
	parts := regexp.MustCompile(`^([\w+]+://(?:.*@)?)([^/?#]*)(.*)$`).FindStringSubmatch(text)
	u, err := url.Parse(parts[1] + parts[3])
	if err != nil {
		t.Fatal(err)
	}
	return redisstore.Read(u, parts[2], func(name string) string { return env[name] })
}

func TestRead(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		url  string
		env  map[string]string
		want string // what is shown
	}{
		"one host":           {"redis://h", nil, "redis://h:6379"},
		"port and database":  {"redis://h:1/3", nil, "redis://h:1/3"},
		"database 0":         {"redis://h/0", nil, "redis://h:6379"},
		"IPv6":               {"redis://[::1]:2/", nil, "redis://[::1]:2"},
		"prefix":             {"redis://h?prefix=team%20a", nil, "redis://h:6379?prefix=team+a"},
		"single":             {"redis://h?layout=single", nil, "redis://h:6379?layout=single"},
		"password":           {"redis://:secret@h", nil, "redis://h:6379"},
		"user":               {"redis://me:secret@h", nil, "redis://h:6379"},
		"password elsewhere": {"redis://me@h", map[string]string{"HOLDGATE_STORE_PASSWORD": "secret"}, "redis://h:6379"},
		"password alone":     {"redis://h", map[string]string{"HOLDGATE_STORE_PASSWORD": "secret"}, "redis://h:6379"},
		"TLS":                {"rediss://h?ca=/ca.pem&cert=/c&key=/k&server-name=locks", nil, "rediss://h:6379?ca=%2Fca.pem&server-name=locks"},
		"sentinels":          {"redis+sentinel://:secret@h1,h2:2/locks", nil, "redis+sentinel://h1:26379,h2:2/locks"},
		"their database":     {"redis+sentinel://h1/locks/2", nil, "redis+sentinel://h1:26379/locks/2"},
		"their user":         {"redis+sentinel://h1/locks?sentinel-user=me", map[string]string{"HOLDGATE_STORE_SENTINEL_PASSWORD": "secret"}, "redis+sentinel://h1:26379/locks"},
		"sentinels, TLS":     {"rediss+sentinel://h1/locks", nil, "rediss+sentinel://h1:26379/locks"},
		"cluster":            {"redis+cluster://h1,h2:2", nil, "redis+cluster://h1:6379,h2:2"},
		"cluster, TLS":       {"rediss+cluster://h1", map[string]string{"HOLDGATE_STORE_CA": "/ca.pem"}, "rediss+cluster://h1:6379?ca=%2Fca.pem"},
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
		"no host":         {"redis:///0", nil, "it has no host"},
		"several":         {"redis://h1,h2", nil, "several hosts are a cluster or its sentinels"},
		"fragment":        {"redis://h#secret", nil, "it has no fragment"},
		"database":        {"redis://h/locks", nil, `a database is a number, "locks" is none`},
		"no primary":      {"redis+sentinel://h", nil, "what the sentinels call the primary: redis+sentinel://HOST/NAME"},
		"cluster, path":   {"redis+cluster://h/1", nil, "a cluster has one database"},
		"braces":          {"redis://h?prefix={a}", nil, "option prefix has no braces"},
		"unknown option":  {"redis://h?password=secret", nil, `unknown option "password"; there are ca, cert, key, server-name, layout, prefix`},
		"layout":          {"redis://h?layout=secret", nil, "option layout is queue or single"},
		"no TLS":          {"redis://h?ca=/a", nil, "option ca is for TLS: write rediss://"},
		"no TLS, cluster": {"redis+cluster://h", map[string]string{"HOLDGATE_STORE_CA": "/a"}, "$HOLDGATE_STORE_CA is for TLS: write rediss+cluster://"},
		"nobody's user":   {"redis://h?sentinel-user=me", nil, "option sentinel-user is for sentinels"},
		"no password, s.": {"redis+sentinel://h/n?sentinel-user=me", nil, "put it into $HOLDGATE_STORE_SENTINEL_PASSWORD"},
		"no password":     {"redis://me@h", nil, "no password: put it into $HOLDGATE_STORE_PASSWORD"},
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
