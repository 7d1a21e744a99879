package httpstore_test

import (
	"net/url"
	"strings"
	"testing"

	"github.com/holdgate/holdgate/cmd/holdgate/internal/httpstore"
)

func parse(t *testing.T, text, hosts string, env map[string]string) (*httpstore.Config, error) {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return httpstore.Read(u, hosts, func(name string) string { return env[name] })
}

func TestRead(t *testing.T) {
	t.Parallel()
	secret := map[string]string{httpstore.TokenVariable: "s3cret"}
	for name, test := range map[string]struct {
		url, hosts string
		env        map[string]string
		want       string
	}{
		"a port":       {"http:///", "h:8080", nil, "http://h:8080"},
		"no port":      {"https:///", "a,b:1", nil, "https://a:443,b:1"},
		"a path":       {"https:///locks/", "h", nil, "https://h:443/locks"},
		"a token":      {"https:///", "h", secret, "https://h:443"},
		"on this host": {"http:///", "127.0.0.1:8080,localhost:8081", secret, "http://127.0.0.1:8080,localhost:8081"},
		"an authority": {"https:///?ca=/a&cert=/c&key=/k", "h", nil, "https://h:443?ca=%2Fa"},
	} {
		c, err := parse(t, test.url, test.hosts, test.env)
		if err != nil || c.String() != test.want {
			t.Errorf("%s: got %v, error %v, want %s", name, c, err, test.want)
		}
	}
	for name, test := range map[string]struct {
		url, hosts string
		env        map[string]string
		want       string
	}{
		"no host":              {"http:///", "", nil, "no host"},
		"a user":               {"http://s3cret@h/", "h", nil, "a token, in $" + httpstore.TokenVariable},
		"a token in the clear": {"http:///", "h:8080", secret, "in the clear"},
		"a token of two words": {"https:///", "h", map[string]string{httpstore.TokenVariable: "s3cret s3cret"}, "white space"},
		"TLS without it":       {"http:///?ca=/a", "h", nil, "option ca is for TLS: write https://"},
		"an option":            {"http:///?token=s3cret", "h", nil, `unknown option "token"`},
	} {
		_, err := parse(t, test.url, test.hosts, test.env)
		if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: got the error %v, want one with %q and no secret", name, err, test.want)
		}
	}
}
